import { formatCount, translate } from '../../domain/language';
import type { BatchCheck, PayoutBatchStatus } from '../../domain/payout-batch';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';
import type { TypedAmountFault } from '../../domain/typed-amount';
import type { PayoutLineFault } from '../../use-cases/payout-batches/file';

type Faults = Readonly<
  Record<Exclude<PayoutLineFault, 'columns' | 'currency' | TypedAmountFault>, string>
>;
type Statuses = Readonly<Record<PayoutBatchStatus, string>>;
type Checks = Readonly<Record<BatchCheck, string>>;

export const WORDS = translate(
  {
    batches: 'Payout batches',
    new_batch: 'Pay several people',
    lead: 'A CSV file with one payout in each line. Names and totals are shown before anything is sent, and nothing is reserved until you confirm.',
    columns:
      'The first line names the columns: phone (or account, bank_code), currency, amount, and if you like name, operator and description. At most 10,000 lines.',
    header:
      'The first line must name currency, amount, and phone or account; it may name name, operator, bank_code and description.',
    model_file: 'payouts.csv',
    model_reason: 'Wage of May',
    check: 'Check the file',
    not_configured: 'This service pays nothing out in this environment. Ask its operator.',
    line_faults: {
      no_destination: 'The phone or the account is missing.',
      two_destinations: 'The line has a phone and an account: keep one of them.',
      phone: 'Write the phone with its country code, such as +221 77 123 45 67.',
      account: 'An account has 4 to 64 letters and digits.',
      no_holder: 'The name of the account’s holder is missing.',
      long_text: 'The name, the description, the operator or the bank is too long.',
    } satisfies Faults as Faults,
    batch: 'Payout batch',
    statuses: {
      processing: 'Under way',
      requires_approval: 'Needs approval',
      requires_confirmation: 'Needs confirmation',
      completed: 'Completed',
      canceled: 'Canceled',
    } satisfies Statuses as Statuses,
    checking: 'The recipients’ names are being compared.',
    checks: {
      match: 'Names match',
      close: 'Names almost match',
      no_match: 'Another name',
      unavailable: 'No name to compare',
      unreachable: 'Cannot be paid',
    } satisfies Checks as Checks,
    succeeded: 'Paid',
    failed: 'Failed',
    total: 'Payouts',
    amount: 'Amount',
    fee: 'Fees',
    sum: 'Total',
    too_little:
      'The wallet has too little for all: payouts for which there is no money left will fail.',
    exclude: 'Leave out',
    excluded: (check: string, count: number) => `${check} (${formatCount('en', count)})`,
    confirm: 'Confirm and pay',
    confirm_hint: 'What you leave out is not paid. The money leaves the wallet as each is sent.',
    approvals: (given: number, needed: number) =>
      `Approvals: ${formatCount('en', given)} of ${formatCount('en', needed)}`,
    approve: 'Approve',
    reject: 'Reject',
    reason: 'Reason for rejecting',
    rejected: (reason: string) => `Rejected: ${reason}`,
    cancel: 'Stop what is not sent',
    done: 'Done.',
    refusals: {
      payout_batch_not_cancelable: 'There was nothing left to stop.',
      payout_batch_not_confirmable: 'The batch waits for no confirmation any more.',
      payout_batch_not_approvable: 'The batch waits for no approval any more.',
      approval_by_creator: 'You have ordered these payouts: another owner approves them.',
      forbidden: 'Only an owner of the account approves.',
      account_frozen: 'This account is frozen, so nothing can be sent from it.',
      kyc_required: 'The identity check of this account is not approved.',
    },
    payouts: 'Each payout',
    payout: 'Payout',
    recipient: 'Recipient',
    name_found: 'Name found',
    status: 'State',
    item_statuses: { pending: 'Pending', completed: 'Paid', failed: 'Failed' },
    errors: {
      excluded: 'Left out',
      canceled: 'Canceled',
      unsupported_destination: PAYOUT_WORDS.en.faults.unsupported,
      limit_exceeded: 'Above a limit of this account or of the API key.',
      not_ordered: BATCH_WORDS.en.refusals.not_posted,
    },
    next: 'Next payouts',
    first: 'First payouts',
    download: 'All payouts as CSV',
    all_batches: 'All payout batches',
  },
  {
    batches: 'Versements groupés',
    new_batch: 'Payer plusieurs bénéficiaires',
    lead: 'Un fichier CSV avec un versement par ligne. Les noms et les totaux sont affichés avant tout envoi, et rien n’est réservé tant que vous n’avez pas confirmé.',
    columns:
      'La première ligne nomme les colonnes : téléphone (ou compte et banque), devise, montant et, si vous voulez, nom, opérateur et motif. 10 000 lignes au plus.',
    header:
      'La première ligne doit nommer devise, montant, et téléphone ou compte ; elle peut nommer nom, opérateur, banque et motif.',
    model_file: 'versements.csv',
    model_reason: 'Salaire de mai',
    check: 'Vérifier le fichier',
    not_configured:
      'Ce service ne verse rien dans ce mode. Adressez-vous à la personne qui l’exploite.',
    line_faults: {
      no_destination: 'Il manque le téléphone ou le compte.',
      two_destinations: 'La ligne indique un téléphone et un compte : n’en gardez qu’un.',
      phone: 'Écrivez le téléphone avec son indicatif, par exemple +221 77 123 45 67.',
      account: 'Un compte a de 4 à 64 lettres et chiffres.',
      no_holder: 'Il manque le nom du titulaire du compte.',
      long_text: 'Le nom, le motif, l’opérateur ou la banque est trop long.',
    } satisfies Faults as Faults,
    batch: 'Versements groupés',
    statuses: {
      processing: 'En cours',
      requires_approval: 'À approuver',
      requires_confirmation: 'À confirmer',
      completed: 'Terminé',
      canceled: 'Annulé',
    } satisfies Statuses as Statuses,
    checking: 'Les noms des bénéficiaires sont en cours de comparaison.',
    checks: {
      match: 'Nom identique',
      close: 'Nom proche',
      no_match: 'Autre nom',
      unavailable: 'Aucun nom à comparer',
      unreachable: 'Ne peut pas être payé',
    } satisfies Checks as Checks,
    succeeded: 'Payés',
    failed: 'Échoués',
    total: 'Versements',
    amount: 'Montant',
    fee: 'Frais',
    sum: 'Total',
    too_little:
      'Le portefeuille ne suffit pas pour tous : les versements sans argent disponible échoueront.',
    exclude: 'Exclure',
    excluded: (check: string, count: number) => `${check} (${formatCount('fr', count)})`,
    confirm: 'Confirmer et payer',
    confirm_hint:
      'Ce que vous excluez n’est pas payé. L’argent quitte le portefeuille à chaque envoi.',
    approvals: (given: number, needed: number) =>
      `Approbations : ${formatCount('fr', given)} sur ${formatCount('fr', needed)}`,
    approve: 'Approuver',
    reject: 'Rejeter',
    reason: 'Motif du rejet',
    rejected: (reason: string) => `Rejeté : ${reason}`,
    cancel: 'Arrêter ce qui n’est pas envoyé',
    done: 'C’est fait.',
    refusals: {
      payout_batch_not_cancelable: 'Il n’y avait plus rien à arrêter.',
      payout_batch_not_confirmable: 'Ces versements n’attendent plus de confirmation.',
      payout_batch_not_approvable: 'Ces versements n’attendent plus d’approbation.',
      approval_by_creator:
        'Vous avez demandé ces versements : un autre propriétaire doit les approuver.',
      forbidden: 'Seul un propriétaire du compte approuve.',
      account_frozen: 'Ce compte est gelé : aucun envoi n’est possible.',
      kyc_required: 'L’identité de ce compte n’est pas vérifiée.',
    },
    payouts: 'Détail des versements',
    payout: 'Versement',
    recipient: 'Bénéficiaire',
    name_found: 'Nom trouvé',
    status: 'État',
    item_statuses: { pending: 'En cours', completed: 'Payé', failed: 'Échoué' },
    errors: {
      excluded: 'Exclu',
      canceled: 'Annulé',
      unsupported_destination: PAYOUT_WORDS.fr.faults.unsupported,
      limit_exceeded: 'Au-dessus d’un plafond de ce compte ou de la clé API.',
      not_ordered: BATCH_WORDS.fr.refusals.not_posted,
    },
    next: 'Versements suivants',
    first: 'Premiers versements',
    download: 'Tous les versements en CSV',
    all_batches: 'Tous les versements groupés',
  },
);
