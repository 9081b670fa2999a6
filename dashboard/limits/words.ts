import type { Currency } from '../../domain/currency';
import type { Decimal } from '../../domain/json';
import { translate, type Language, type Pairs } from '../../domain/language';
import type { LimitName, Tier } from '../../domain/limits';
import type { Refusal } from '../../domain/refusal';
import { formatMoney } from '../../pages/formats';

const NAMES: Pairs<Readonly<Record<LimitName, string>>> = {
  balance: ['Balance', 'Solde'],
  single_in: ['Received at once', 'Reçu en une fois'],
  daily_in: ['Received today', 'Reçu aujourd’hui'],
  monthly_in: ['Received this month', 'Reçu ce mois-ci'],
  single_out: ['Sent at once', 'Envoyé en une fois'],
  daily_out: ['Sent today', 'Envoyé aujourd’hui'],
  monthly_out: ['Sent this month', 'Envoyé ce mois-ci'],
};

const TIER_NAMES: Pairs<Readonly<Record<Tier, string>>> = {
  none: ['Not identified', 'Non identifié'],
  identified: ['Identified', 'Identifié'],
  merchant: ['Merchant', 'Accepteur'],
  agent: ['Agent', 'Distributeur'],
};

export const LIMIT_WORDS = translate({
  limits: ['Limits', 'Plafonds'],
  names: NAMES,
  tiers: TIER_NAMES,
  used: [
    (used: string, maximum: string) => `${used} of ${maximum}`,
    (used, maximum) => `${used} sur ${maximum}`,
  ],
  at_most: [(maximum: string) => `at most ${maximum}`, (maximum) => `au plus ${maximum}`],
  resets: [(when: string) => `begins anew ${when} UTC`, (when) => `repart à zéro le ${when} UTC`],
  above: [
    (name: string, used: string, maximum: string) =>
      `Above the limit of the account. ${name}: ${used} of ${maximum}.`,
    (name, used, maximum) => `Au-dessus du plafond du compte. ${name} : ${used} sur ${maximum}.`,
  ],
  above_recipient: [
    'Above a limit of the recipient. Nothing was sent: send less, or ask the recipient.',
    'Au-dessus d’un plafond du destinataire. Rien n’a été envoyé : envoyez moins, ou demandez-lui.',
  ],
  above_key: [
    'Above the daily limit of the API key.',
    'Au-dessus du plafond quotidien de la clé API.',
  ],
  tier: ['Tier', 'Catégorie'],
  tier_by_identity: ['by the identity check', 'selon la vérification d’identité'],
  tier_by_operator: ['set by an operator', 'fixée par un opérateur'],
  own: ['own', 'propre au compte'],
  of_tier: ['of the tier', 'de la catégorie'],
  limit: ['Limit', 'Plafond'],
  use: ['Used', 'Utilisé'],
  origin: ['From', 'Origine'],
  set_tier: ['Set the tier', 'Fixer la catégorie'],
  auto: ['By the identity check', 'Selon la vérification d’identité'],
  set_limits: ['Set own limits', 'Fixer des plafonds propres'],
  set_limits_hint: [
    'An amount, “off” for no limit, or “tier” for that of the tier. An empty field stays as it is.',
    'Un montant, « off » pour aucun plafond, ou « tier » pour celui de la catégorie. Un champ vide reste tel quel.',
  ],
  bad_amount: [
    'An amount, off or tier: for XOF without decimals.',
    'Un montant, off ou tier : pour XOF, sans décimales.',
  ],
  no_limits: ['No limit holds.', 'Aucun plafond ne s’applique.'],
  is_set: [(what: string) => `Set: ${what}.`, (what) => `Fixé : ${what}.`],
  unchanged: ['It was the same before.', 'C’était déjà le cas.'],
});

/** For a person whose order was refused: `about` is the refusal's. */
export function aboveLimit(language: Language, about: Refusal['about']): string {
  const words = LIMIT_WORDS[language];
  const { limit, currency, maximum, used } = about.details as {
    readonly limit: LimitName | 'recipient' | 'key_daily';
    readonly currency: Currency;
    readonly maximum: Decimal;
    readonly used: Decimal;
  };
  if (limit === 'recipient') return words.above_recipient;
  if (limit === 'key_daily') return words.above_key;
  const money = ({ text }: Decimal) =>
    formatMoney(language, BigInt(text.replace('.', '')), currency);
  return words.above(words.names[limit], money(used), money(maximum));
}
