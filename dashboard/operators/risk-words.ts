import { translate } from '../../domain/language';

export const RISK_WORDS = translate({
  risk: ['Risk', 'Risque'],
  lead: [
    'What rules, lists or the provider have held waits here for a decision. Without one it is refused after three days, and the money goes back. An account whose name is like one of a list waits until you decide.',
    'Ce que des règles, des listes ou le prestataire ont retenu attend ici une décision. Sans décision, c’est refusé après trois jours, et l’argent repart. Un compte dont le nom ressemble à celui d’une liste attend votre décision.',
  ],
  case: ['Case', 'Dossier'],
  cases: ['Cases', 'Dossiers'],
  since: ['Since', 'Depuis'],
  until: ['Refused from', 'Refusé à partir de'],
  to: ['To', 'À'],
  sources: {
    rule: ['Rule', 'Règle'],
    provider: ['Provider', 'Prestataire'],
    screening: ['Name of a list', 'Nom d’une liste'],
    silence: ['Silence', 'Silence'],
  },
  silences: {
    late: ['no answer in time', 'pas de réponse à temps'],
    unreachable: ['not reached, or cut off', 'injoignable, ou interrompu'],
    not_200: ['an answer with another status', 'une réponse avec un autre statut'],
    too_large: ['an answer that is too long', 'une réponse trop longue'],
    not_json: ['an answer that is not JSON', 'une réponse qui n’est pas du JSON'],
    unknown_word: ['an answer that is not understood', 'une réponse incomprise'],
    paused: ['not asked, after several silences', 'pas interrogé, après plusieurs silences'],
  },
  export: [
    'The case as a file, for the authorities',
    'Le dossier sous forme de fichier, pour les autorités',
  ],
  decided: ['Decided', 'Décidé'],
  others: ['What else waits from and to this account', 'Ce qui attend encore de et vers ce compte'],
  subjects: {
    transfer: ['Transfer', 'Transfert'],
    payout: ['Payout', 'Envoi'],
    payment_intent: ['Payment', 'Paiement'],
    account: ['Account', 'Compte'],
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
  // An account whose names are like those of a list.
  sure_account: {
    release: [
      (username: string) => `Release the account ${username}?`,
      (username) => `Libérer le compte ${username} ?`,
    ],
    refuse: [
      (username: string) => `Freeze the account ${username}?`,
      (username) => `Geler le compte ${username} ?`,
    ],
  },
  sure_account_lead: {
    release: [
      'It is another person: the account sends and receives again, and these entries are never found for it again. What was held for this alone is carried out; what takes two operators, or was held for more, still waits.',
      'C’est une autre personne : le compte envoie et reçoit de nouveau, et ces entrées ne sont plus jamais retenues contre lui. Ce qui n’a été retenu que pour cela est exécuté ; ce qui demande deux opérateurs, ou a été retenu pour plus, attend encore.',
    ],
    refuse: [
      'Nothing leaves the account any more until it is unfrozen. What was held stays held: refuse each, or it goes back after three days.',
      'Plus rien ne sort du compte jusqu’à son dégel. Ce qui a été retenu le reste : refusez chaque dossier, ou l’argent repart après trois jours.',
    ],
  },
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
    account_questioned: [
      'An account of it has a case of its own that waits. Decide that one first.',
      'Un des comptes concernés a lui-même un dossier en attente. Décidez d’abord de celui-ci.',
    ],
    limit_exceeded: [
      'The wallet cannot hold that much: it stays held.',
      'Le portefeuille ne peut pas recevoir autant : cela reste retenu.',
    ],
  },
});
