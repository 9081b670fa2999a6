import { counted, formatCount, translate, type Pairs } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { BatchCheck, PayoutBatchStatus } from '../../domain/payout-batch';
import type { PhoneFault } from '../../domain/phone';
import type { TypedAmountFault } from '../../domain/typed-amount';
import type { LineFault } from '../../use-cases/batch-file';
import type { RowFault } from '../../use-cases/payout-batches/rows';
import { WORDS as BATCH_WORDS } from '../batches/words';
import { WORDS as PAYOUT_WORDS } from '../payouts/words';

type Faults = Readonly<
  Record<Exclude<RowFault, LineFault | PhoneFault['fault'] | 'currency' | TypedAmountFault>, string>
>;
type Statuses = Readonly<Record<PayoutBatchStatus, string>>;
type Checks = Readonly<Record<BatchCheck, string>>;

export const WORDS = translate({
  ...VOCABULARY,
  batches: ['Payout batches', 'Envois groupés'],
  new_batch: ['Pay several people', 'Payer plusieurs bénéficiaires'],
  lead: [
    'A CSV file with one payout in each line. Names and totals are shown before anything is sent, and nothing is reserved until you confirm.',
    'Un fichier CSV avec un envoi par ligne. Les noms et les totaux sont affichés avant tout envoi, et rien n’est réservé tant que vous n’avez pas confirmé.',
  ],
  columns: [
    'The first line names the columns: name, phone (or account, bank_code), amount, currency, and if you like description and operator. At most 10,000 lines.',
    'La première ligne nomme les colonnes : nom, téléphone (ou compte et banque), montant, devise et, si vous voulez, motif et opérateur. 10 000 lignes au plus.',
  ],
  local_phones: [
    (country: string) =>
      `Phone numbers of ${country} need no country code; the others begin with theirs, such as +225.`,
    (country) =>
      `Les numéros de votre pays (${country}) s’écrivent sans indicatif ; les autres commencent par le leur, par exemple +225.`,
  ],
  whole_phones: [
    'Phone numbers begin with their country code, such as +221 77 123 45 67.',
    'Les numéros commencent par l’indicatif de leur pays, par exemple +221 77 123 45 67.',
  ],
  header: [
    'The first line must name phone or account, amount, and currency unless your account is in a country of the CFA franc; it may name name, operator, bank_code and description.',
    'La première ligne doit nommer téléphone ou compte, montant, et devise sauf si votre compte est dans un pays du franc CFA ; elle peut nommer nom, opérateur, banque et motif.',
  ],
  model_file: ['payouts.csv', 'envois.csv'],
  typed: ['Type or paste', 'Saisir ou coller'],
  typed_lead: [
    'Fill in a name, a phone number and an amount in FCFA for each person. Names and the total are shown before anything is sent.',
    'Pour chaque personne, indiquez le nom, le numéro de téléphone et le montant en FCFA. Les noms et le total sont affichés avant tout envoi.',
  ],
  again: ['Start from the list of', 'Reprendre la liste du'],
  pay_again: ['Pay these people again', 'Payer de nouveau ces personnes'],
  no_banks: [
    'That list has bank accounts or other currencies as well, which are not here: pay those by a file.',
    'Cette liste contient aussi des comptes bancaires ou d’autres devises, qui ne figurent pas ici : payez-les par fichier.',
  ],
  person_at: [
    (place: number) => `Person ${formatCount('en', place)}`,
    (place) => `Personne ${formatCount('fr', place)}`,
  ],
  choose: ['Choose', 'Choisir'],
  more_rows: ['Add people', 'Ajouter des personnes'],
  paste: ['Paste a list', 'Coller une liste'],
  lines: ['One person per line', 'Une personne par ligne'],
  lines_hint: [
    'Name, phone number and amount with commas between them, such as: Awa Diop, 77 123 45 67, 85000. Cells copied from a spreadsheet are read, too.',
    'Nom, numéro et montant séparés par des virgules, par exemple : Awa Diop, 77 123 45 67, 85000. Les cellules copiées d’un tableur sont lues aussi.',
  ],
  reason_of_all: ['Reason, for all (optional)', 'Motif, pour tous (facultatif)'],
  no_rows: ['Fill in one person at least.', 'Indiquez au moins une personne.'],
  too_many_rows: [
    (most: number) =>
      `At most ${counted('en', most, 'person', 'people')} can be typed here. Pay more by a file.`,
    (most) =>
      `${counted('fr', most, 'personne', 'personnes')} au plus peuvent être saisies ici. Au-delà, payez par fichier.`,
  ],
  wrong_rows: [
    (count: number) =>
      `${counted('en', count, 'person needs', 'people need')} a correction. Nothing was stored.`,
    (count) =>
      `${counted('fr', count, 'personne est à corriger', 'personnes sont à corriger')}. Rien n’a été enregistré.`,
  ],
  line_faults: {
    no_operator: [
      'This number may be Wave’s or another operator’s. Choose the operator.',
      'Ce numéro peut être chez Wave ou chez un autre opérateur. Choisissez l’opérateur.',
    ],
    no_destination: [
      'The phone or the account is missing.',
      'Il manque le téléphone ou le compte.',
    ],
    two_destinations: [
      'The line has a phone and an account: keep one of them.',
      'La ligne indique un téléphone et un compte : n’en gardez qu’un.',
    ],
    account: [
      'An account has 4 to 64 letters and digits.',
      'Un compte a de 4 à 64 lettres et chiffres.',
    ],
    iban: [PAYOUT_WORDS.en.faults.iban, PAYOUT_WORDS.fr.faults.iban],
    bank_code_as_decimal: [
      'A spreadsheet has made a decimal of the bank code. Write its digits alone.',
      'Un tableur a transformé le code banque en nombre décimal. N’écrivez que ses chiffres.',
    ],
    characters: [
      'A text has control characters, which nobody sees: write it anew.',
      'Un texte contient des caractères de contrôle, invisibles : saisissez-le à nouveau.',
    ],
    no_holder: [
      'The name of the account’s holder is missing.',
      'Il manque le nom du titulaire du compte.',
    ],
    long_text: [
      'The name, the description, the operator or the bank is too long.',
      'Le nom, le motif, l’opérateur ou la banque est trop long.',
    ],
  } satisfies Pairs<Faults>,
  batch: ['Payout batch', 'Envois groupés'],
  statuses: {
    processing: ['Under way', 'En cours'],
    requires_approval: ['Needs approval', 'À approuver'],
    requires_confirmation: ['Needs confirmation', 'À confirmer'],
    completed: ['Completed', 'Terminé'],
    canceled: ['Canceled', 'Annulé'],
  } satisfies Pairs<Statuses>,
  checking: [
    'The recipients’ names are being compared.',
    'Les noms des bénéficiaires sont en cours de comparaison.',
  ],
  checks: {
    match: ['Names match', 'Nom identique'],
    close: ['Names almost match', 'Nom proche'],
    no_match: ['Another name', 'Autre nom'],
    unavailable: ['No name to compare', 'Aucun nom à comparer'],
    unreachable: ['Cannot be paid', 'Ne peut pas être payé'],
  } satisfies Pairs<Checks>,
  succeeded: ['Paid', 'Payés'],
  failed: ['Failed', 'Échoués'],
  total: ['Payouts', 'Envois'],
  fee: ['Fees', 'Frais'],
  sum: ['Total', 'Total'],
  too_little: [
    'The wallet has too little for all: payouts for which there is no money left will fail.',
    'Le portefeuille ne suffit pas pour tous : les envois sans argent disponible échoueront.',
  ],
  exclude: ['Leave out', 'Exclure'],
  excluded: [
    (check: string, count: number) => `${check} (${formatCount('en', count)})`,
    (check, count) => `${check} (${formatCount('fr', count)})`,
  ],
  recount: ['Count again', 'Recalculer'],
  pay: [
    (amounts: string, count: number, are_people: boolean) =>
      `Pay ${amounts} ${are_people ? `to ${counted('en', count, 'person', 'people')}` : `in ${counted('en', count, 'payout', 'payouts')}`}`,
    (amounts, count, are_people) =>
      `Payer ${amounts} ${are_people ? `à ${counted('fr', count, 'personne', 'personnes')}` : `en ${counted('fr', count, 'envoi', 'envois')}`}`,
  ],
  confirm_hint: [
    'Each amount leaves the wallet when it is sent. However often this is pressed, everyone is paid once.',
    'Chaque montant quitte le portefeuille à son envoi. Même si vous appuyez plusieurs fois, chacun n’est payé qu’une fois.',
  ],
  none_left: ['You leave all of them out.', 'Vous les excluez tous.'],
  ready: ['Ready', 'Prêt'],
  same_before: [
    (count: number) =>
      `${counted('en', count, 'payout is', 'payouts are')} the same, by recipient and amount, as ordered in the past 5 days:`,
    (count) =>
      `${counted('fr', count, 'envoi a', 'envois ont')} le même bénéficiaire et le même montant qu’un autre demandé ces 5 derniers jours :`,
  ],
  approvals: [
    (given: number, needed: number) =>
      `Approvals: ${formatCount('en', given)} of ${formatCount('en', needed)}`,
    (given, needed) =>
      `Approbations : ${formatCount('fr', given)} sur ${formatCount('fr', needed)}`,
  ],
  reason: ['Reason for rejecting', 'Motif du rejet'],
  rejected: [(reason: string) => `Rejected: ${reason}`, (reason) => `Rejeté : ${reason}`],
  cancel: ['Stop the payouts that are not sent yet', 'Arrêter les envois pas encore envoyés'],
  cancel_all: ['Cancel, and pay none of them', 'Annuler, sans payer personne'],
  done: ['Done.', 'C’est fait.'],
  refusals: {
    approval_by_creator: [
      'You have ordered these payouts: another owner approves them.',
      'Vous avez demandé ces envois : un autre propriétaire doit les approuver.',
    ],
    forbidden: [
      'Only an owner of the account approves.',
      'Seul un propriétaire du compte approuve.',
    ],
  },
  payouts: ['Each payout', 'Détail des envois'],
  recipient: ['Recipient', 'Bénéficiaire'],
  name_found: ['Name found', 'Nom trouvé'],
  status: ['State', 'État'],
  item_statuses: {
    pending: ['Pending', 'En cours'],
    completed: ['Paid', 'Payé'],
    failed: ['Failed', 'Échoué'],
  },
  errors: {
    excluded: ['Left out', 'Exclu'],
    canceled: ['Canceled', 'Annulé'],
    unsupported_destination: [
      PAYOUT_WORDS.en.faults.unsupported,
      PAYOUT_WORDS.fr.faults.unsupported,
    ],
    limit_exceeded: [
      'Above a limit of this account or of the API key.',
      'Au-dessus d’un plafond de ce compte ou de la clé API.',
    ],
    not_ordered: [BATCH_WORDS.en.refusals.not_posted, BATCH_WORDS.fr.refusals.not_posted],
  },
  next: ['Next payouts', 'Envois suivants'],
  first: ['First payouts', 'Premiers envois'],
  download: ['All payouts as CSV', 'Tous les envois en CSV'],
  download_failed: [
    'What failed as CSV, to be corrected and sent again',
    'Les échecs en CSV, à corriger et à renvoyer',
  ],
  all_batches: ['All payout batches', 'Tous les envois groupés'],
});
