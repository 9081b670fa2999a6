import { counted, translate } from '../../domain/language';
import type { NameMatch, PayoutFailure, PayoutStage, PayoutStatus } from '../../domain/payout';
import type { ExceededLimit } from '../../db/payouts/payouts';

type Texts<Name extends string> = Readonly<Record<Name, string>>;

export const STATUS_WORDS = translate<Texts<PayoutStatus | 'unknown'>>(
  {
    requires_approval: 'Needs approval',
    requires_confirmation: 'Needs confirmation',
    pending: 'Pending',
    unknown: 'Outcome unknown',
    succeeded: 'Succeeded',
    failed: 'Failed',
    canceled: 'Canceled',
    returned: 'Returned',
  },
  {
    requires_approval: 'À approuver',
    requires_confirmation: 'À confirmer',
    pending: 'En cours',
    unknown: 'Issue inconnue',
    succeeded: 'Effectué',
    failed: 'Échoué',
    canceled: 'Annulé',
    returned: 'Retourné',
  },
);

/** What a status or a stage means for the reader, who may have to do something. */
export const MEANING_WORDS = translate<Texts<Exclude<PayoutStatus, 'pending'> | PayoutStage>>(
  {
    requires_approval:
      'Nothing is sent before it is approved. The money is set aside, and comes back if nobody approves in time.',
    requires_confirmation:
      'Nothing is sent before you confirm the name that was found. The money is set aside, and comes back if nobody confirms in time.',
    queued: 'Not sent yet: it leaves as soon as the operator takes it, and can still be canceled.',
    sent: 'The operator has it and pays the recipient. It can no longer be canceled.',
    unknown:
      'The operator was asked and has not answered. We keep asking until it does. Do not send it again: the recipient may have the money already.',
    succeeded: 'The recipient has the money.',
    failed: 'The recipient got nothing, and all of the money is back in your wallet.',
    canceled: 'Nothing was sent, and all of the money is back in your wallet.',
    returned:
      'It was paid, and the operator gave it back: the amount is in your wallet again, without the fee.',
  },
  {
    requires_approval:
      'Rien ne part avant l’approbation. L’argent est mis de côté et vous revient si personne n’approuve à temps.',
    requires_confirmation:
      'Rien ne part avant que vous confirmiez le nom trouvé. L’argent est mis de côté et vous revient si personne ne confirme à temps.',
    queued: 'Pas encore envoyé : il part dès que l’opérateur le prend, et peut encore être annulé.',
    sent: 'L’opérateur l’a reçu et paie le bénéficiaire. Il ne peut plus être annulé.',
    unknown:
      'L’opérateur a été sollicité et n’a pas répondu. Nous le relançons jusqu’à sa réponse. Ne renvoyez rien : le bénéficiaire a peut-être déjà l’argent.',
    succeeded: 'Le bénéficiaire a reçu l’argent.',
    failed: 'Le bénéficiaire n’a rien reçu, et tout l’argent est revenu dans votre portefeuille.',
    canceled: 'Rien n’est parti, et tout l’argent est revenu dans votre portefeuille.',
    returned:
      'Le versement a été payé, puis rendu par l’opérateur : le montant est revenu dans votre portefeuille, sans les frais.',
  },
);

export const FAILURE_WORDS = translate<Texts<PayoutFailure['code']>>(
  {
    recipient_not_found: 'The operator knows no such recipient. Check the number or the account.',
    recipient_blocked:
      'The operator has blocked this recipient. Ask for another number or account.',
    recipient_limit_exceeded:
      'The recipient may not receive so much now. Send less, or wait for another day.',
    name_mismatch: 'The account is in another name than the one you gave.',
    amount_out_of_bounds: 'The operator pays no such amount at once.',
    provider_out_of_funds:
      'Our account at the operator was empty. Tell the operator of this service.',
    provider_unavailable: 'The operator could not be reached. Send it again later.',
    rejected: 'The operator has refused it.',
    fraud_suspected: 'The operator suspects fraud. Ask it, or tell the operator of this service.',
    unspecified: 'The operator did not pay it, and does not say why.',
  },
  {
    recipient_not_found:
      'L’opérateur ne connaît pas ce bénéficiaire. Vérifiez le numéro ou le compte.',
    recipient_blocked:
      'L’opérateur a bloqué ce bénéficiaire. Demandez-lui un autre numéro ou un autre compte.',
    recipient_limit_exceeded:
      'Le bénéficiaire ne peut pas recevoir autant pour le moment. Envoyez moins, ou attendez un autre jour.',
    name_mismatch: 'Le compte n’est pas au nom que vous avez indiqué.',
    amount_out_of_bounds: 'L’opérateur ne paie pas ce montant en une fois.',
    provider_out_of_funds:
      'Notre compte chez l’opérateur était vide. Signalez-le à l’opérateur de ce service.',
    provider_unavailable: 'L’opérateur n’était pas joignable. Réessayez plus tard.',
    rejected: 'L’opérateur l’a refusé.',
    fraud_suspected:
      'L’opérateur soupçonne une fraude. Adressez-vous à lui, ou à l’opérateur de ce service.',
    unspecified: 'L’opérateur ne l’a pas payé et ne dit pas pourquoi.',
  },
);

export const MATCH_WORDS = translate<Texts<NameMatch>>(
  {
    match: 'The same name',
    close: 'A similar name',
    no_match: 'Another name',
    unavailable: 'The operator does not tell it',
  },
  {
    match: 'Le même nom',
    close: 'Un nom proche',
    no_match: 'Un autre nom',
    unavailable: 'L’opérateur ne l’indique pas',
  },
);

export const EVENT_WORDS = translate(
  {
    requested: 'Ordered',
    approved: 'Approved',
    rejected: 'Rejected',
    confirmed: 'Confirmed',
    canceled: 'Canceled',
    cancel_requested: 'The operator was asked to cancel it',
    expired: 'Nobody decided in time, or the operator stayed closed',
    given_back: 'All of the money is back in the wallet',
    queued: 'It waits at the operator',
    sent: 'The operator has it',
    succeeded: 'The recipient has the money',
    failed: 'It was not paid, and all of the money is back in the wallet',
    returned: (amount: string) => `${amount} returned`,
    paid_after_end: 'The operator says that it has paid it all the same: we are looking into it',
    not_paid_after_end: 'The operator says that it has taken the payment back',
    settled_paid: 'The operator of this service has found that it was paid',
    settled_not_paid: 'The operator of this service has found that it was not paid',
  },
  {
    requested: 'Demandé',
    approved: 'Approuvé',
    rejected: 'Rejeté',
    confirmed: 'Confirmé',
    canceled: 'Annulé',
    cancel_requested: 'Annulation demandée à l’opérateur',
    expired: 'Personne n’a décidé à temps, ou l’opérateur est resté fermé',
    given_back: 'Tout l’argent est revenu dans le portefeuille',
    queued: 'En attente chez l’opérateur',
    sent: 'L’opérateur l’a reçu',
    succeeded: 'Le bénéficiaire a reçu l’argent',
    failed: 'Il n’a pas été payé, et tout l’argent est revenu dans le portefeuille',
    returned: (amount: string) => `Retour de ${amount}`,
    paid_after_end: 'L’opérateur dit l’avoir payé malgré tout : nous vérifions',
    not_paid_after_end: 'L’opérateur dit avoir repris le paiement',
    settled_paid: 'L’opérateur de ce service a constaté qu’il a été payé',
    settled_not_paid: 'L’opérateur de ce service a constaté qu’il n’a pas été payé',
  },
);

export const DECISION_WORDS = translate(
  {
    approve: {
      link: 'Approve',
      title: 'Approve this payout?',
      lead: 'It is sent once enough people have approved it. A payout that was sent cannot be taken back.',
      button: (amount: string) => `Approve ${amount}`,
      done: 'You have approved this payout.',
    },
    reject: {
      link: 'Reject',
      title: 'Reject this payout?',
      lead: 'Nothing is sent, and all of the money goes back to the wallet.',
      button: (amount: string) => `Reject ${amount}`,
      done: 'The payout is rejected, and the money is back in the wallet.',
    },
    confirm: {
      link: 'Confirm and send',
      title: 'Send this payout?',
      lead: 'Compare the name that was found with the one you meant. A payout that was sent cannot be taken back.',
      button: (amount: string) => `Send ${amount}`,
      done: 'The payout is confirmed, and on its way.',
    },
    cancel: {
      link: 'Cancel it',
      title: 'Cancel this payout?',
      lead: 'Nothing is sent, and all of the money goes back to the wallet.',
      button: (amount: string) => `Cancel the payout of ${amount}`,
      done: 'The payout is canceled, and the money is back in the wallet.',
    },
    reason: 'Reason',
    reason_hint: 'Shown in the timeline.',
    refusals: {
      approval_by_creator: 'You have ordered this payout: another owner approves it.',
      forbidden: 'Your role does not allow this.',
      payout_not_approvable: 'This payout does not wait for approval any more.',
      payout_not_confirmable: 'This payout does not wait for confirmation any more.',
      payout_not_cancelable: 'It is too late: the operator has this payout.',
      account_frozen: 'This account is frozen, so nothing can be sent from it.',
      kyc_required: 'Live money is sent only after an approved identity check.',
    } as Readonly<Record<string, string>>,
    unknown:
      'We could not find out in time whether it was done. Try again: it is done at most once.',
    back: 'Back to the payout',
  },
  {
    approve: {
      link: 'Approuver',
      title: 'Approuver ce versement ?',
      lead: 'Il part dès qu’assez de personnes l’ont approuvé. Un versement envoyé ne peut pas être repris.',
      button: (amount: string) => `Approuver ${amount}`,
      done: 'Vous avez approuvé ce versement.',
    },
    reject: {
      link: 'Rejeter',
      title: 'Rejeter ce versement ?',
      lead: 'Rien ne part, et tout l’argent revient dans le portefeuille.',
      button: (amount: string) => `Rejeter ${amount}`,
      done: 'Le versement est rejeté, et l’argent est revenu dans le portefeuille.',
    },
    confirm: {
      link: 'Confirmer et envoyer',
      title: 'Envoyer ce versement ?',
      lead: 'Comparez le nom trouvé avec celui que vous attendiez. Un versement envoyé ne peut pas être repris.',
      button: (amount: string) => `Envoyer ${amount}`,
      done: 'Le versement est confirmé et en route.',
    },
    cancel: {
      link: 'Annuler le versement',
      title: 'Annuler ce versement ?',
      lead: 'Rien ne part, et tout l’argent revient dans le portefeuille.',
      button: (amount: string) => `Annuler le versement de ${amount}`,
      done: 'Le versement est annulé, et l’argent est revenu dans le portefeuille.',
    },
    reason: 'Motif',
    reason_hint: 'Visible dans le déroulement.',
    refusals: {
      approval_by_creator:
        'Vous avez demandé ce versement : un autre propriétaire doit l’approuver.',
      forbidden: 'Votre rôle ne le permet pas.',
      payout_not_approvable: 'Ce versement n’est plus à approuver.',
      payout_not_confirmable: 'Ce versement n’est plus à confirmer.',
      payout_not_cancelable: 'Trop tard : l’opérateur a déjà ce versement.',
      account_frozen: 'Ce compte est gelé : aucun envoi n’est possible.',
      kyc_required: 'L’argent réel n’est envoyé qu’après une vérification d’identité approuvée.',
    } as Readonly<Record<string, string>>,
    unknown:
      'Nous n’avons pas pu savoir à temps si c’est fait. Réessayez : rien n’est fait deux fois.',
    back: 'Retour au versement',
  },
);

export const RULE_WORDS = translate(
  {
    title: 'Approval and limits',
    lead: 'Which payouts wait for another owner, and how much may leave. It holds in the sandbox and in live mode, on the dashboard and for API keys. Every owner gets a mail about each change.',
    approval: 'Approval by other owners',
    approval_above: 'Payouts above this amount need approval',
    approval_above_hint: 'Empty: none does. 0: all do.',
    approvers: 'Approvals needed',
    approvers_options: { '1': 'One', '2': 'Two' },
    new_destination_above: 'The first payout to a new destination needs it above',
    new_destination_above_hint: 'Empty: the amount above holds for it, too.',
    too_few_owners: (owners: number) =>
      `This account has ${counted('en', owners, 'owner', 'owners')}, and nobody approves their own payout: what an owner orders above these amounts is canceled after seven days. Add owners under “Team”.`,
    limits: 'Limits',
    single: 'One payout, at most',
    daily: 'In a day, at most',
    monthly: 'In a month, at most',
    limits_hint:
      'Empty: no limit. Days and months are those of UTC, Dakar’s time; fees do not count.',
    most: (amount: string) => `The operator of this service allows ${amount} at most.`,
    save: 'Save',
    saved: 'The rule is changed, and every owner gets a mail about it.',
    same: 'Nothing was changed.',
  },
  {
    title: 'Approbation et plafonds',
    lead: 'Quels versements attendent un autre propriétaire, et combien peut partir. La règle vaut en mode test et en mode réel, sur le tableau de bord et pour les clés d’API. Chaque modification est annoncée par e-mail à tous les propriétaires.',
    approval: 'Approbation par d’autres propriétaires',
    approval_above: 'Les versements au-dessus de ce montant sont à approuver',
    approval_above_hint: 'Vide : aucun. 0 : tous.',
    approvers: 'Approbations nécessaires',
    approvers_options: { '1': 'Une', '2': 'Deux' },
    new_destination_above: 'Le premier versement à un nouveau bénéficiaire l’est au-dessus de',
    new_destination_above_hint: 'Vide : le montant ci-dessus vaut aussi pour lui.',
    too_few_owners: (owners: number) =>
      `Ce compte a ${counted('fr', owners, 'propriétaire', 'propriétaires')}, et personne n’approuve son propre versement : ce qu’un propriétaire demande au-dessus de ces montants est annulé au bout de sept jours. Ajoutez des propriétaires dans « Équipe ».`,
    limits: 'Plafonds',
    single: 'Par versement, au plus',
    daily: 'Par jour, au plus',
    monthly: 'Par mois, au plus',
    limits_hint:
      'Vide : pas de plafond. Les jours et les mois sont ceux de l’heure UTC, celle de Dakar ; les frais ne comptent pas.',
    most: (amount: string) => `L’opérateur de ce service autorise ${amount} au plus.`,
    save: 'Enregistrer',
    saved: 'La règle est modifiée, et tous les propriétaires en sont informés par e-mail.',
    same: 'Rien n’a été modifié.',
  },
);

export const WORDS = translate(
  {
    payouts: 'Payouts',
    payout: 'Payout',
    lead: 'Money from your wallet to a phone or a bank account.',
    make: 'New payout',
    rules: 'Approval and limits',
    to_waiting: 'See what waits',
    caption: 'Payouts, newest first',
    recipient: 'Recipient',
    name: 'Name',
    wrong_choice: 'There is no such choice, or this is no date.',
    to_phone: 'Phone',
    to_bank: 'Bank account',
    phone: 'Phone number',
    phone_hint: 'With its country code, such as +221 77 123 45 67.',
    operator: 'Operator',
    by_number: 'Found by the number',
    operator_hint: 'Choose it where several operators share numbers, as Wave does.',
    name_optional: 'Recipient’s name (optional)',
    name_hint: 'It is compared with the name that the operator has.',
    account: 'Account number or IBAN',
    holder: 'Account holder',
    bank_code: 'Bank code (optional)',
    description: 'What it is for (optional)',
    description_hint: 'The recipient sees it if the operator can show it.',
    next: 'Continue',
    frozen: 'This account is frozen, so nothing can be sent from it.',
    not_configured: 'Payouts are not offered here yet. Ask the operator of this service.',
    test_numbers: 'Numbers that try something out in the sandbox',
    test_numbers_text: 'Any other number gets the money. The last three digits decide:',
    faults: {
      phone: 'Write the number with its country code, such as +221 77 123 45 67.',
      account: 'Write 4 to 64 letters and digits, such as an IBAN.',
      holder: 'Write the name of the account holder.',
      too_long: (most: number) => `At most ${counted('en', most, 'character', 'characters')}.`,
      unsupported: 'No operator pays this destination in this currency.',
      unpayable:
        'The operator cannot pay this recipient: not known, or blocked. Check it with the recipient.',
      bounds: (minimum: string, maximum: string) =>
        `The operator pays between ${minimum} and ${maximum} at once.`,
      insufficient: (total: string, balance: string) =>
        `With its fee it comes to ${total}, and your wallet holds only ${balance}.`,
      insufficient_now: 'Your wallet does not hold enough for this any more. Nothing was sent.',
      limit: {
        single: (maximum: string) => `Above the limit of one payout: ${maximum}.`,
        daily: (maximum: string, used: string) =>
          `Above the limit of a day: ${maximum}, of which ${used} are used.`,
        monthly: (maximum: string, used: string) =>
          `Above the limit of a month: ${maximum}, of which ${used} are used.`,
      } satisfies Readonly<
        Record<ExceededLimit['limit_name'], (maximum: string, used: string) => string>
      >,
      unknown_limit: (minutes: number) =>
        `Too many recipients that do not exist were tried in the last hour. Try again in ${counted('en', minutes, 'minute', 'minutes')}.`,
      no_answer: 'The operator does not answer now. Nothing was sent: try again in a moment.',
    },
    reused: 'This form had been sent with other values. Check the payout and continue.',
    check: 'Check and send',
    name_given: 'Name that you gave',
    name_found: 'Name at the operator',
    gets: 'The recipient gets',
    fee: 'Fee',
    total: 'Leaves your wallet',
    balance_after: 'Your balance after it',
    bounds: 'The operator pays at once',
    between: (minimum: string, maximum: string) => `${minimum} to ${maximum}`,
    names: {
      match: 'The name is the one that you gave.',
      close: 'The name is similar to the one that you gave, but not the same. Check it.',
      no_match: 'The recipient has another name than the one you gave. Check the number first.',
      unavailable: 'The operator does not tell the name: it cannot be compared.',
    },
    states: {
      delayed: 'The operator is slow at the moment: the payout may take longer than usual.',
      closed:
        'The operator is closed at the moment. The payout waits until it opens, one day at most, and can be canceled until then.',
    },
    needs_approval: (needed: number) =>
      `It is sent only after ${counted('en', needed, 'other owner has approved', 'other owners have approved')} it.`,
    send_now: (amount: string) => `Send ${amount}`,
    send_anyway: (amount: string) => `Send ${amount} all the same`,
    ask_for: (amount: string) => `Ask for approval of ${amount}`,
    once: 'However often this form is sent, the money is sent once.',
    change: 'Change',
    unknown: 'It is not known yet',
    unknown_text:
      'We could not find out in time whether this payout was ordered. Do not begin a new one: ask again here. The same payout is ordered at most once.',
    ask_again: 'Ask again',
    ordered: 'The payout is ordered.',
    ordered_to_approve: 'The payout waits for approval.',
    bank_code_shown: 'Bank code',
    description_shown: 'For',
    returned: 'Returned',
    approvals: 'Approved',
    approvals_of: (given: number, needed: number) => `${given} of ${needed}`,
    yours: 'You have ordered this payout: another owner approves it.',
    failure: 'Why it failed',
    provider_code: 'Operator’s code',
    until: 'Waits until',
    completed: 'Completed',
    timeline: 'Timeline',
    list: 'All payouts',
  },
  {
    payouts: 'Versements',
    payout: 'Versement',
    lead: 'De l’argent de votre portefeuille vers un téléphone ou un compte bancaire.',
    make: 'Nouveau versement',
    rules: 'Approbation et plafonds',
    to_waiting: 'Voir ce qui attend',
    caption: 'Versements, le plus récent d’abord',
    recipient: 'Bénéficiaire',
    name: 'Nom',
    wrong_choice: 'Ce choix n’existe pas, ou ce n’est pas une date.',
    to_phone: 'Téléphone',
    to_bank: 'Compte bancaire',
    phone: 'Numéro de téléphone',
    phone_hint: 'Avec l’indicatif du pays, par exemple +221 77 123 45 67.',
    operator: 'Opérateur',
    by_number: 'D’après le numéro',
    operator_hint: 'À choisir quand plusieurs opérateurs partagent les numéros, comme Wave.',
    name_optional: 'Nom du bénéficiaire (facultatif)',
    name_hint: 'Il est comparé au nom que connaît l’opérateur.',
    account: 'Numéro de compte ou IBAN',
    holder: 'Titulaire du compte',
    bank_code: 'Code banque (facultatif)',
    description: 'Motif (facultatif)',
    description_hint: 'Le bénéficiaire le voit si l’opérateur peut l’afficher.',
    next: 'Continuer',
    frozen: 'Ce compte est gelé : aucun envoi n’est possible.',
    not_configured:
      'Les versements ne sont pas encore proposés ici. Adressez-vous à l’opérateur de ce service.',
    test_numbers: 'Des numéros pour essayer, en mode test',
    test_numbers_text: 'Tout autre numéro reçoit l’argent. Les trois derniers chiffres décident :',
    faults: {
      phone: 'Écrivez le numéro avec l’indicatif du pays, par exemple +221 77 123 45 67.',
      account: 'Écrivez 4 à 64 lettres et chiffres, par exemple un IBAN.',
      holder: 'Indiquez le nom du titulaire du compte.',
      too_long: (most: number) => `${counted('fr', most, 'caractère', 'caractères')} au plus.`,
      unsupported: 'Aucun opérateur ne paie ce bénéficiaire dans cette devise.',
      unpayable:
        'L’opérateur ne peut pas payer ce bénéficiaire : inconnu ou bloqué. Vérifiez avec lui.',
      bounds: (minimum: string, maximum: string) =>
        `L’opérateur paie entre ${minimum} et ${maximum} en une fois.`,
      insufficient: (total: string, balance: string) =>
        `Avec les frais, cela fait ${total}, et votre portefeuille ne contient que ${balance}.`,
      insufficient_now: 'Votre portefeuille ne suffit plus pour ce montant. Rien n’a été envoyé.',
      limit: {
        single: (maximum: string) => `Au-dessus du plafond par versement : ${maximum}.`,
        daily: (maximum: string, used: string) =>
          `Au-dessus du plafond du jour : ${maximum}, dont ${used} déjà utilisés.`,
        monthly: (maximum: string, used: string) =>
          `Au-dessus du plafond du mois : ${maximum}, dont ${used} déjà utilisés.`,
      },
      unknown_limit: (minutes: number) =>
        `Trop de bénéficiaires inexistants ont été essayés au cours de la dernière heure. Réessayez dans ${counted('fr', minutes, 'minute', 'minutes')}.`,
      no_answer:
        'L’opérateur ne répond pas pour le moment. Rien n’a été envoyé : réessayez dans un instant.',
    },
    reused:
      'Ce formulaire avait été envoyé avec d’autres valeurs. Vérifiez le versement et continuez.',
    check: 'Vérifier et envoyer',
    name_given: 'Nom que vous avez indiqué',
    name_found: 'Nom chez l’opérateur',
    gets: 'Montant reçu',
    fee: 'Frais',
    total: 'Total débité',
    balance_after: 'Votre solde après',
    bounds: 'L’opérateur paie en une fois',
    between: (minimum: string, maximum: string) => `${minimum} à ${maximum}`,
    names: {
      match: 'Le nom est celui que vous avez indiqué.',
      close: 'Le nom est proche de celui que vous avez indiqué, sans être le même. Vérifiez-le.',
      no_match:
        'Le bénéficiaire porte un autre nom que celui que vous avez indiqué. Vérifiez d’abord le numéro.',
      unavailable: 'L’opérateur n’indique pas le nom : il ne peut pas être comparé.',
    },
    states: {
      delayed: 'L’opérateur est lent en ce moment : le versement peut prendre plus de temps.',
      closed:
        'L’opérateur est fermé en ce moment. Le versement attend son ouverture, un jour au plus, et peut être annulé d’ici là.',
    },
    needs_approval: (needed: number) =>
      `Avant de partir, il lui faut ${counted('fr', needed, 'approbation d’un autre propriétaire', 'approbations d’autres propriétaires')}.`,
    send_now: (amount: string) => `Envoyer ${amount}`,
    send_anyway: (amount: string) => `Envoyer ${amount} quand même`,
    ask_for: (amount: string) => `Demander l’approbation de ${amount}`,
    once: 'Même si ce formulaire est envoyé plusieurs fois, l’argent n’est envoyé qu’une fois.',
    change: 'Modifier',
    unknown: 'Résultat encore inconnu',
    unknown_text:
      'Nous n’avons pas pu savoir à temps si ce versement a été enregistré. N’en commencez pas un autre : vérifiez de nouveau ici. Le même versement n’est jamais enregistré deux fois.',
    ask_again: 'Vérifier de nouveau',
    ordered: 'Le versement est enregistré.',
    ordered_to_approve: 'Le versement est à approuver.',
    bank_code_shown: 'Code banque',
    description_shown: 'Motif',
    returned: 'Montant restitué',
    approvals: 'Approuvé',
    approvals_of: (given: number, needed: number) => `${given} sur ${needed}`,
    yours: 'Vous avez demandé ce versement : un autre propriétaire doit l’approuver.',
    failure: 'Pourquoi il a échoué',
    provider_code: 'Code de l’opérateur',
    until: 'Attend jusqu’au',
    completed: 'Terminé',
    timeline: 'Déroulement',
    list: 'Tous les versements',
  },
);
