import { counted, translate, type Pairs } from '../../domain/language';
import { ERRORS } from '../../domain/errors';
import { VOCABULARY } from '../../domain/vocabulary';
import type { NameMatch, PayoutFailure, PayoutStage, PayoutStatus } from '../../domain/payout';
import type { PayoutLimitName } from '../../db/payouts/payouts';
import type { LimitName } from '../../domain/limits';

type Texts<Name extends string> = Readonly<Record<Name, string>>;

export const STATUS_WORDS = translate<Texts<PayoutStatus | 'unknown'>>({
  held: ['Being checked', 'En vérification'],
  requires_approval: ['Needs approval', 'À approuver'],
  requires_confirmation: ['Needs confirmation', 'À confirmer'],
  pending: ['Pending', 'En cours'],
  unknown: ['Outcome unknown', 'Issue inconnue'],
  succeeded: ['Succeeded', 'Effectué'],
  failed: ['Failed', 'Échoué'],
  canceled: ['Canceled', 'Annulé'],
  returned: ['Returned', 'Retourné'],
});

/** The meaning of a status or a stage for the reader, who may have to do something. */
export const MEANING_WORDS = translate<Texts<Exclude<PayoutStatus, 'pending'> | PayoutStage>>({
  held: [
    'The operator of this service looks at it before it is sent. The money is set aside, and comes back if it is not allowed.',
    'L’opérateur de ce service l’examine avant l’envoi. L’argent est mis de côté et vous revient s’il n’est pas autorisé.',
  ],
  requires_approval: [
    'Nothing is sent before it is approved. The money is set aside, and comes back if nobody approves in time.',
    'Rien ne part avant l’approbation. L’argent est mis de côté et vous revient si personne n’approuve à temps.',
  ],
  requires_confirmation: [
    'Nothing is sent before you confirm the name that was found. The money is set aside, and comes back if nobody confirms in time.',
    'Rien ne part avant que vous confirmiez le nom trouvé. L’argent est mis de côté et vous revient si personne ne confirme à temps.',
  ],
  queued: [
    'Not sent yet: it leaves as soon as the operator takes it, and can still be canceled.',
    'Pas encore envoyé : il part dès que l’opérateur le prend, et peut encore être annulé.',
  ],
  sent: [
    'The operator has it and pays the recipient. It can no longer be canceled.',
    'L’opérateur l’a reçu et paie le bénéficiaire. Il ne peut plus être annulé.',
  ],
  unknown: [
    'The operator was asked and has not answered. We keep asking until it does. Do not send it again: the recipient may have the money already.',
    'L’opérateur a été sollicité et n’a pas répondu. Nous le relançons jusqu’à sa réponse. Ne renvoyez rien : le bénéficiaire a peut-être déjà l’argent.',
  ],
  succeeded: ['The recipient has the money.', 'Le bénéficiaire a reçu l’argent.'],
  failed: [
    'The recipient got nothing, and all of the money is back in your wallet.',
    'Le bénéficiaire n’a rien reçu, et tout l’argent est revenu dans votre portefeuille.',
  ],
  canceled: [
    'Nothing was sent, and all of the money is back in your wallet.',
    'Rien n’est parti, et tout l’argent est revenu dans votre portefeuille.',
  ],
  returned: [
    'It was paid, and the operator gave it back: the amount is in your wallet again, without the fee.',
    'L’envoi a été payé, puis rendu par l’opérateur : le montant est revenu dans votre portefeuille, sans les frais.',
  ],
});

export const FAILURE_WORDS = translate<Texts<PayoutFailure['code']>>({
  recipient_not_found: [
    'The operator knows no such recipient. Check the number or the account.',
    'L’opérateur ne connaît pas ce bénéficiaire. Vérifiez le numéro ou le compte.',
  ],
  recipient_blocked: [
    'The operator has blocked this recipient. Ask for another number or account.',
    'L’opérateur a bloqué ce bénéficiaire. Demandez-lui un autre numéro ou un autre compte.',
  ],
  recipient_limit_exceeded: [
    'The recipient may not receive so much now. Send less, or wait for another day.',
    'Le bénéficiaire ne peut pas recevoir autant pour le moment. Envoyez moins, ou attendez un autre jour.',
  ],
  name_mismatch: [
    'The account is in another name than the one you gave.',
    'Le compte n’est pas au nom que vous avez indiqué.',
  ],
  amount_out_of_bounds: [
    'The operator pays no such amount at once.',
    'L’opérateur ne paie pas ce montant en une fois.',
  ],
  provider_out_of_funds: [
    'Our account at the operator was empty. Tell the operator of this service.',
    'Notre compte chez l’opérateur était vide. Signalez-le à l’opérateur de ce service.',
  ],
  provider_unavailable: [
    'The operator could not be reached. Send it again later.',
    'L’opérateur n’était pas joignable. Réessayez plus tard.',
  ],
  rejected: ['The operator has refused it.', 'L’opérateur l’a refusé.'],
  risk_refused: [
    'The operator of this service did not allow it.',
    'L’opérateur de ce service ne l’a pas autorisé.',
  ],
  fraud_suspected: [
    'The operator suspects fraud. Ask it, or tell the operator of this service.',
    'L’opérateur soupçonne une fraude. Adressez-vous à lui, ou à l’opérateur de ce service.',
  ],
  unspecified: [
    'The operator did not pay it, and does not say why.',
    'L’opérateur ne l’a pas payé et ne dit pas pourquoi.',
  ],
});

export const MATCH_WORDS = translate<Texts<NameMatch>>({
  match: ['The same name', 'Le même nom'],
  close: ['A similar name', 'Un nom proche'],
  no_match: ['Another name', 'Un autre nom'],
  unavailable: ['The operator does not tell it', 'L’opérateur ne l’indique pas'],
});

export const EVENT_WORDS = translate({
  requested: ['Ordered', 'Demandé'],
  approved: ['Approved', 'Approuvé'],
  rejected: ['Rejected', 'Rejeté'],
  confirmed: ['Confirmed', 'Confirmé'],
  canceled: ['Canceled', 'Annulé'],
  cancel_requested: ['The operator was asked to cancel it', 'Annulation demandée à l’opérateur'],
  expired: [
    'Nobody decided in time, or the operator stayed closed',
    'Personne n’a décidé à temps, ou l’opérateur est resté fermé',
  ],
  given_back: [
    'All of the money is back in the wallet',
    'Tout l’argent est revenu dans le portefeuille',
  ],
  queued: ['It waits at the operator', 'En attente chez l’opérateur'],
  sent: ['The operator has it', 'L’opérateur l’a reçu'],
  succeeded: ['The recipient has the money', 'Le bénéficiaire a reçu l’argent'],
  failed: [
    'It was not paid, and all of the money is back in the wallet',
    'Il n’a pas été payé, et tout l’argent est revenu dans le portefeuille',
  ],
  returned: [(amount: string) => `${amount} returned`, (amount) => `Retour de ${amount}`],
  paid_after_end: [
    'The operator says that it has paid it all the same: we are looking into it',
    'L’opérateur dit l’avoir payé malgré tout : nous vérifions',
  ],
  not_paid_after_end: [
    'The operator says that it has taken the payment back',
    'L’opérateur dit avoir repris le paiement',
  ],
  settled_paid: [
    'The operator of this service has found that it was paid',
    'L’opérateur de ce service a constaté qu’il a été payé',
  ],
  settled_not_paid: [
    'The operator of this service has found that it was not paid',
    'L’opérateur de ce service a constaté qu’il n’a pas été payé',
  ],
});

export const DECISION_WORDS = translate({
  approve: {
    link: ['Approve', 'Approuver'],
    title: ['Approve this payout?', 'Approuver cet envoi ?'],
    lead: [
      'It is sent once enough people have approved it. A payout that was sent cannot be taken back.',
      'Il part dès qu’assez de personnes l’ont approuvé. Un envoi parti ne peut pas être repris.',
    ],
    button: [(amount: string) => `Approve ${amount}`, (amount) => `Approuver ${amount}`],
    done: ['You have approved this payout.', 'Vous avez approuvé cet envoi.'],
  },
  reject: {
    link: ['Reject', 'Rejeter'],
    title: ['Reject this payout?', 'Rejeter cet envoi ?'],
    lead: [
      'Nothing is sent, and all of the money goes back to the wallet.',
      'Rien ne part, et tout l’argent revient dans le portefeuille.',
    ],
    button: [(amount: string) => `Reject ${amount}`, (amount) => `Rejeter ${amount}`],
    done: [
      'The payout is rejected, and the money is back in the wallet.',
      'L’envoi est rejeté, et l’argent est revenu dans le portefeuille.',
    ],
  },
  confirm: {
    link: ['Confirm and send', 'Confirmer et envoyer'],
    title: ['Send this payout?', 'Confirmer cet envoi ?'],
    lead: [
      'Compare the name that was found with the one you meant. A payout that was sent cannot be taken back.',
      'Comparez le nom trouvé avec celui que vous attendiez. Un envoi parti ne peut pas être repris.',
    ],
    button: [(amount: string) => `Send ${amount}`, (amount) => `Envoyer ${amount}`],
    done: ['The payout is confirmed, and on its way.', 'L’envoi est confirmé et en route.'],
  },
  cancel: {
    link: ['Cancel it', 'Annuler l’envoi'],
    title: ['Cancel this payout?', 'Annuler cet envoi ?'],
    lead: [
      'Nothing is sent, and all of the money goes back to the wallet.',
      'Rien ne part, et tout l’argent revient dans le portefeuille.',
    ],
    button: [
      (amount: string) => `Cancel the payout of ${amount}`,
      (amount) => `Annuler l’envoi de ${amount}`,
    ],
    done: [
      'The payout is canceled, and the money is back in the wallet.',
      'L’envoi est annulé, et l’argent est revenu dans le portefeuille.',
    ],
  },
  reason: ['Reason', 'Motif'],
  reason_hint: ['Shown in the timeline.', 'Visible dans le déroulement.'],
  unknown: [
    'We could not find out in time whether it was done. Try again: it is done at most once.',
    'Nous n’avons pas pu savoir à temps si c’est fait. Réessayez : rien n’est fait deux fois.',
  ],
  back: ['Back to the payout', 'Retour à l’envoi'],
});

export const RULE_WORDS = translate({
  title: ['Approval and limits', 'Approbation et plafonds'],
  lead: [
    'Which payouts wait for another owner, and how much may leave. It holds in the sandbox and in live mode, on the dashboard and for API keys. Every owner gets a mail about each change.',
    'Quels envois attendent un autre propriétaire, et combien peut partir. La règle vaut en mode test et en mode réel, sur le tableau de bord et pour les clés d’API. Chaque modification est annoncée par e-mail à tous les propriétaires.',
  ],
  approval: ['Approval by other owners', 'Approbation par d’autres propriétaires'],
  approval_above: [
    'Payouts above this amount need approval',
    'Les envois au-dessus de ce montant sont à approuver',
  ],
  approval_above_hint: ['Empty: none does. 0: all do.', 'Vide : aucun. 0 : tous.'],
  approvers: ['Approvals needed', 'Approbations nécessaires'],
  approvers_options: {
    '1': ['One', 'Une'],
    '2': ['Two', 'Deux'],
  },
  new_destination_above: [
    'The first payout to a new destination needs it above',
    'Le premier envoi à un nouveau bénéficiaire l’est au-dessus de',
  ],
  new_destination_above_hint: [
    'Empty: the amount above holds for it, too.',
    'Vide : le montant ci-dessus vaut aussi pour lui.',
  ],
  too_few_owners: [
    (owners: number) =>
      `This account has ${counted('en', owners, 'owner', 'owners')}, and nobody approves their own payout: what an owner orders above these amounts is canceled after seven days. Add owners under “Team”.`,
    (owners) =>
      `Ce compte a ${counted('fr', owners, 'propriétaire', 'propriétaires')}, et personne n’approuve son propre envoi : ce qu’un propriétaire demande au-dessus de ces montants est annulé au bout de sept jours. Ajoutez des propriétaires dans « Équipe ».`,
  ],
  limits: ['Limits', 'Plafonds'],
  single: ['One payout, at most', 'Par envoi, au plus'],
  daily: ['In a day, at most', 'Par jour, au plus'],
  monthly: ['In a month, at most', 'Par mois, au plus'],
  limits_hint: [
    'Empty: no limit. Days and months are those of UTC, Dakar’s time; fees do not count.',
    'Vide : pas de plafond. Les jours et les mois sont ceux de l’heure UTC, celle de Dakar ; les frais ne comptent pas.',
  ],
  save: ['Save', 'Enregistrer'],
  saved: [
    'The rule is changed, and every owner gets a mail about it.',
    'La règle est modifiée, et tous les propriétaires en sont informés par e-mail.',
  ],
  same: ['Nothing was changed.', 'Rien n’a été modifié.'],
});

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'Money from your wallet to a phone or a bank account.',
    'De l’argent de votre portefeuille vers un téléphone ou un compte bancaire.',
  ],
  make: ['New payout', 'Nouvel envoi'],
  rules: ['Approval and limits', 'Approbation et plafonds'],
  to_waiting: ['See what waits', 'Voir ce qui attend'],
  caption: ['Payouts, newest first', 'Envois, le plus récent d’abord'],
  recipient: ['Recipient', 'Bénéficiaire'],
  to_phone: ['Phone', 'Téléphone'],
  to_bank: ['Bank account', 'Compte bancaire'],
  phone_hint: [
    'Of your country, or with + and the code of another, such as +225 07 01 02 03 04.',
    'De votre pays ou, d’un autre, avec + et son indicatif, par exemple +225 07 01 02 03 04.',
  ],
  by_number: ['Found by the number', 'D’après le numéro'],
  operator_hint: [
    'Choose it where several operators share numbers, as Wave does.',
    'À choisir quand plusieurs opérateurs partagent les numéros, comme Wave.',
  ],
  name_optional: ['Recipient’s name (optional)', 'Nom du bénéficiaire (facultatif)'],
  name_hint: [
    'It is compared with the name that the operator has.',
    'Il est comparé au nom que connaît l’opérateur.',
  ],
  account: ['Account number or IBAN', 'Numéro de compte ou IBAN'],
  holder: ['Account holder', 'Titulaire du compte'],
  bank_code: ['Bank code (optional)', 'Code banque (facultatif)'],
  description: ['What it is for (optional)', 'Motif (facultatif)'],
  description_hint: [
    'The recipient sees it if the operator can show it.',
    'Le bénéficiaire le voit si l’opérateur peut l’afficher.',
  ],
  not_configured: ERRORS.payouts_not_configured.shown,
  test_numbers: [
    'Numbers that try something out in the sandbox',
    'Des numéros pour essayer, en mode test',
  ],
  test_numbers_text: [
    'Any other number gets the money. The last three digits decide:',
    'Tout autre numéro reçoit l’argent. Les trois derniers chiffres décident :',
  ],
  faults: {
    which: [
      (one: string, other: string) =>
        `This number may be ${one}’s or ${other}’s. Choose who pays it out.`,
      (one, other) =>
        `Ce numéro peut être chez ${one} ou chez ${other}. Choisissez l’opérateur qui le paie.`,
    ],
    phone: [
      'Write the number with its country code, such as +221 77 123 45 67.',
      'Écrivez le numéro avec l’indicatif du pays, par exemple +221 77 123 45 67.',
    ],
    account: [
      'Write 4 to 64 letters and digits, such as an IBAN.',
      'Écrivez 4 à 64 lettres et chiffres, par exemple un IBAN.',
    ],
    iban: [
      'A digit or letter of this IBAN is wrong: its check digits do not fit.',
      'Un chiffre ou une lettre de cet IBAN est faux : sa clé de contrôle ne correspond pas.',
    ],
    holder: ['Write the name of the account holder.', 'Indiquez le nom du titulaire du compte.'],
    unsupported: [
      'No operator pays this destination in this currency.',
      'Aucun opérateur ne paie ce bénéficiaire dans cette devise.',
    ],
    unpayable: [
      'The operator cannot pay this recipient: not known, or blocked. Check it with the recipient.',
      'L’opérateur ne peut pas payer ce bénéficiaire : inconnu ou bloqué. Vérifiez avec lui.',
    ],
    bounds: [
      (minimum: string, maximum: string) =>
        `The operator pays between ${minimum} and ${maximum} at once.`,
      (minimum, maximum) => `L’opérateur paie entre ${minimum} et ${maximum} en une fois.`,
    ],
    insufficient: [
      (total: string, balance: string) =>
        `With its fee it comes to ${total}, and your wallet holds only ${balance}.`,
      (total, balance) =>
        `Avec les frais, cela fait ${total}, et votre portefeuille ne contient que ${balance}.`,
    ],
    insufficient_now: ERRORS.insufficient_funds.shown,
    limit: {
      single: [
        (maximum: string) => `Above the limit of one payout: ${maximum}.`,
        (maximum) => `Au-dessus du plafond par envoi : ${maximum}.`,
      ],
      daily: [
        (maximum: string, used: string) =>
          `Above the limit of a day: ${maximum}, of which ${used} are used.`,
        (maximum, used) => `Au-dessus du plafond du jour : ${maximum}, dont ${used} déjà utilisés.`,
      ],
      monthly: [
        (maximum: string, used: string) =>
          `Above the limit of a month: ${maximum}, of which ${used} are used.`,
        (maximum, used) => `Au-dessus du plafond du mois : ${maximum}, dont ${used} déjà utilisés.`,
      ],
    } satisfies Pairs<
      Readonly<
        Record<Exclude<PayoutLimitName, LimitName>, (maximum: string, used: string) => string>
      >
    >,
    unknown_limit: [
      (minutes: number) =>
        `Too many recipients that do not exist were tried in the last hour. Try again in ${counted('en', minutes, 'minute', 'minutes')}.`,
      (minutes) =>
        `Trop de bénéficiaires inexistants ont été essayés au cours de la dernière heure. Réessayez dans ${counted('fr', minutes, 'minute', 'minutes')}.`,
    ],
    no_answer: [
      'The operator does not answer now. Nothing was sent: try again in a moment.',
      'L’opérateur ne répond pas pour le moment. Rien n’a été envoyé : réessayez dans un instant.',
    ],
  },
  check: ['Check and send', 'Vérifier et envoyer'],
  name_given: ['Name that you gave', 'Nom que vous avez indiqué'],
  name_found: ['Name at the operator', 'Nom chez l’opérateur'],
  gets: ['The recipient gets', 'Montant reçu'],
  bounds: ['The operator pays at once', 'L’opérateur paie en une fois'],
  between: [
    (minimum: string, maximum: string) => `${minimum} to ${maximum}`,
    (minimum, maximum) => `${minimum} à ${maximum}`,
  ],
  names: {
    match: ['The name is the one that you gave.', 'Le nom est celui que vous avez indiqué.'],
    close: [
      'The name is similar to the one that you gave, but not the same. Check it.',
      'Le nom est proche de celui que vous avez indiqué, sans être le même. Vérifiez-le.',
    ],
    no_match: [
      'The recipient has another name than the one you gave. Check the number first.',
      'Le bénéficiaire porte un autre nom que celui que vous avez indiqué. Vérifiez d’abord le numéro.',
    ],
    unavailable: [
      'The operator does not tell the name: it cannot be compared.',
      'L’opérateur n’indique pas le nom : il ne peut pas être comparé.',
    ],
  },
  states: {
    delayed: [
      'The operator is slow at the moment: the payout may take longer than usual.',
      'L’opérateur est lent en ce moment : l’envoi peut prendre plus de temps.',
    ],
    closed: [
      'The operator is closed at the moment. The payout waits until it opens, one day at most, and can be canceled until then.',
      'L’opérateur est fermé en ce moment. L’envoi attend son ouverture, un jour au plus, et peut être annulé d’ici là.',
    ],
  },
  needs_approval: [
    (needed: number) =>
      `It is sent only after ${counted('en', needed, 'other owner has approved', 'other owners have approved')} it.`,
    (needed) =>
      `Avant de partir, il lui faut ${counted('fr', needed, 'approbation d’un autre propriétaire', 'approbations d’autres propriétaires')}.`,
  ],
  send_now: [(amount: string) => `Send ${amount}`, (amount) => `Envoyer ${amount}`],
  send_anyway: [
    (amount: string) => `Send ${amount} all the same`,
    (amount) => `Envoyer ${amount} quand même`,
  ],
  ask_for: [
    (amount: string) => `Ask for approval of ${amount}`,
    (amount) => `Demander l’approbation de ${amount}`,
  ],
  ordered: ['The payout is ordered.', 'L’envoi est enregistré.'],
  ordered_to_approve: ['The payout waits for approval.', 'L’envoi est à approuver.'],
  bank_code_shown: ['Bank code', 'Code banque'],
  description_shown: ['For', 'Motif'],
  returned: ['Returned', 'Montant restitué'],
  approvals: ['Approved', 'Approuvé'],
  approvals_of: [
    (given: number, needed: number) => `${given} of ${needed}`,
    (given, needed) => `${given} sur ${needed}`,
  ],
  yours: ERRORS.approval_by_creator.shown,
  failure: ['Why it failed', 'Pourquoi il a échoué'],
  provider_code: ['Operator’s code', 'Code de l’opérateur'],
  until: ['Waits until', 'Attend jusqu’au'],
  completed: ['Completed', 'Terminé'],
  timeline: ['Timeline', 'Déroulement'],
  list: ['All payouts', 'Tous les envois'],
});
