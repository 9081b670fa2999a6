import { translate } from '../../domain/language';

export const RISK_WORDS = translate({
  risk: ['Risk', 'Risque'],
  lead: [
    'What rules or the provider have held waits here for a decision. Without one it is refused after three days, and the money goes back.',
    'Ce que des règles ou le prestataire ont retenu attend ici une décision. Sans décision, c’est refusé après trois jours, et l’argent repart.',
  ],
  case: ['Case', 'Dossier'],
  cases: ['Cases', 'Dossiers'],
  since: ['Since', 'Depuis'],
  until: ['Refused from', 'Refusé à partir de'],
  to: ['To', 'À'],
  sources: {
    rule: ['Rule', 'Règle'],
    provider: ['Provider', 'Prestataire'],
    screening: ['Screening', 'Filtrage'],
    silence: ['Silence', 'Silence'],
  },
  silences: {
    late: ['no answer in time', 'pas de réponse à temps'],
    unreachable: ['not reached, or cut off', 'injoignable, ou interrompu'],
    not_200: ['an answer with another status', 'une réponse avec un autre statut'],
    too_large: ['an answer that is too long', 'une réponse trop longue'],
    not_json: ['an answer that is not JSON', 'une réponse qui n’est pas du JSON'],
    unknown_word: ['a decision that is not known', 'une décision inconnue'],
    paused: ['not asked, after several silences', 'pas interrogé, après plusieurs silences'],
  },
  export: [
    'The case as a file, for the authorities',
    'Le dossier sous forme de fichier, pour les autorités',
  ],
  decided: ['Decided', 'Décidé'],
  others: ['What else waits of this account', 'Ce qui attend encore de ce compte'],
  subjects: {
    transfer: ['Transfer', 'Transfert'],
    payout: ['Payout', 'Envoi'],
    payment_intent: ['Payment', 'Paiement'],
  },
  statuses: {
    held: ['Held', 'Retenu'],
    released: ['Released', 'Libéré'],
    refused: ['Refused', 'Refusé'],
    expired: ['Expired', 'Expiré'],
    withdrawn: ['Withdrawn', 'Retiré'],
  },
  reason_hint: [
    'For the audit log; the account is not told.',
    'Pour le journal d’audit ; le compte n’en est pas informé.',
  ],
  release: ['Release', 'Libérer'],
  refuse: ['Refuse', 'Refuser'],
  sure: {
    release: [
      (amount: string, username: string) => `Release ${amount} of ${username}?`,
      (amount, username) => `Libérer ${amount} de ${username} ?`,
    ],
    refuse: [
      (amount: string, username: string) => `Refuse ${amount} of ${username}?`,
      (amount, username) => `Refuser ${amount} de ${username} ?`,
    ],
  },
  sure_lead: {
    release: [
      'It is carried out at once, as if it had not been held.',
      'C’est exécuté aussitôt, comme si rien n’avait été retenu.',
    ],
    refuse: [
      'The sender has the money again. That of a payment waits in suspense to be refunded.',
      'L’argent revient à l’expéditeur. Celui d’un paiement attend en suspens d’être remboursé.',
    ],
  },
  done: {
    release: ['It is released.', 'C’est libéré.'],
    refuse: ['It is refused.', 'C’est refusé.'],
  },
  refusals: {
    case_not_found: ['There is no such case.', 'Ce dossier n’existe pas.'],
    case_decided: [
      'It was decided meanwhile, or its time is over. Nothing was done.',
      'Une décision est intervenue entre-temps, ou le délai est passé. Rien n’a été fait.',
    ],
    account_frozen: [
      'An account of it is frozen: it stays held.',
      'Un des comptes concernés est gelé : cela reste retenu.',
    ],
    limit_exceeded: [
      'The wallet cannot hold that much: it stays held.',
      'Le portefeuille ne peut pas recevoir autant : cela reste retenu.',
    ],
  },
});
