import { translate } from '../../domain/language';

export const WORDS = translate({
  title: ['Fees', 'Frais'],
  lead: [
    'What this account is charged now, and the invoices of what was charged. The fees were taken when they arose: nothing is left to pay.',
    'Ce que ce compte paie aujourd’hui, et les factures de ce qui a été prélevé. Les frais sont prélevés au fur et à mesure : il ne reste rien à payer.',
  ],
  prices: ['Prices', 'Tarifs'],
  invoices: ['Invoices, newest first', 'Factures, les plus récentes d’abord'],
  movement: ['Movement', 'Opération'],
  price: ['Price', 'Tarif'],
  borne_by: ['Paid by', 'À la charge de'],
  bearers: {
    merchant: ['You', 'Vous'],
    recipient: ['The recipient', 'Bénéficiaire'],
    payer: ['The sender, on top', 'Expéditeur, en plus du montant'],
  },
  with_fee: ['With the fee', 'Avec les frais'],
  tax_of: [(kind: string) => `${kind}: tax`, (kind) => `${kind} : taxe`],
  nothing: ['Free', 'Gratuit'],
  of_fee: [(percent: string) => `${percent} of the fee`, (percent) => `${percent} sur les frais`],
  at_least: [(amount: string) => `at least ${amount}`, (amount) => `au moins ${amount}`],
  at_most: [(amount: string) => `at most ${amount}`, (amount) => `au plus ${amount}`],
  from: [(amount: string) => `from ${amount}`, (amount) => `à partir de ${amount}`],
  below: [(amount: string) => `below ${amount}`, (amount) => `en dessous de ${amount}`],
  yours: ['for your account', 'pour votre compte'],
  number: ['Number', 'Numéro'],
  period: ['Period', 'Période'],
  file: ['Download', 'Télécharger'],
  pdf_of: [(number: string) => `PDF of ${number}`, (number) => `PDF de ${number}`],
});
