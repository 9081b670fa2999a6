import { translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'What your wallets hold now, and at the end of each of the last 30 days (UTC).',
    'Ce que contiennent vos portefeuilles à l’instant, et à la fin de chacun des 30 derniers jours (UTC).',
  ],
  unused: ['Currencies that are not used', 'Devises non utilisées'],
  now: ['Balance now', 'Solde actuel'],
  chart: [
    (currency: string, from: string, to: string, lowest: string, highest: string) =>
      `${currency}: the balance from ${from} to ${to}, between ${lowest} and ${highest}. The table below has every day.`,
    (currency, from, to, lowest, highest) =>
      `${currency} : le solde du ${from} au ${to}, entre ${lowest} et ${highest}. Le tableau ci-dessous donne chaque jour.`,
  ],
  days_of: [
    (currency: string) => `${currency}: the balance at the end of each day`,
    (currency) => `${currency} : le solde à la fin de chaque jour`,
  ],
  history: [
    (currency: string) => `Transactions in ${currency}`,
    (currency) => `Transactions en ${currency}`,
  ],
  sandbox: [
    'In the sandbox transfers are simulated: they are listed among the transactions and do not change these balances. Payments by links do.',
    'En mode test, les transferts sont simulés : ils figurent parmi les transactions et ne changent pas ces soldes. Les paiements par lien, si.',
  ],
});
