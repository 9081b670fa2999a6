import { translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'Every call that was made with a key of this environment, newest first.',
    'Tous les appels faits avec une clé de ce mode, du plus récent au plus ancien.',
  ],
  request: ['Request', 'Requête'],
  status: ['Status', 'Statut'],
  request_id: ['Request id', 'Identifiant de requête'],
  name: ['Id or key', 'Identifiant ou clé'],
  name_hint: [
    'A request id, an Idempotency-Key, or the id or reference of a payment, transfer, refund, payout or batch.',
    'Un identifiant de requête, une Idempotency-Key, ou l’identifiant ou la référence d’un paiement, d’un transfert, d’un remboursement, d’un envoi ou d’un lot.',
  ],
  idempotency_key: ['Idempotency-Key', 'Idempotency-Key'],
  fault: ['Sandbox-Fault', 'Sandbox-Fault'],
  object: ['About', 'Objet'],
  any: ['Any', 'Tous'],
  classes: {
    '2': ['2xx: answered', '2xx : répondues'],
    '4': ['4xx: refused', '4xx : refusées'],
    '5': ['5xx: failed', '5xx : en échec'],
  },
  method: ['Method', 'Méthode'],
  all_keys: ['All keys', 'Toutes les clés'],
  chosen_key: ['One key', 'Une clé'],
  before: ['Before (UTC)', 'Avant le (UTC)'],
  before_local: ['Before', 'Avant le'],
  message: ['Message', 'Message'],
  parameter: ['Parameter', 'Paramètre'],
  body: ['Body', 'Corps de la requête'],
  redacted: [
    'Of most fields only the name is kept, because their values may be personal: “…” stands for them. Fields that were left out have their defaults.',
    'De la plupart des champs, seul le nom est conservé, car leur valeur peut être personnelle : « … » la remplace. Les champs omis ont leur valeur par défaut.',
  ],
  not_kept: [
    'The body and the response are kept of refused requests only, the first 20 of a key in a minute.',
    'Le corps et la réponse ne sont conservés que pour les requêtes refusées, les vingt premières d’une clé par minute.',
  ],
  searched: [
    (from: string) => `Nothing since ${from}.`,
    (from) => `Aucun appel depuis le ${from}.`,
  ],
  searched_some: [
    (from: string) => `These are all since ${from}.`,
    (from) => `Ce sont tous les appels depuis le ${from}.`,
  ],
  further: ['Look further back', 'Chercher plus loin'],
  newest: ['Newest', 'Plus récentes'],
});
