import { listCurrencies } from '../../domain/currency';
import { counted, formatCount, plural, translate, type Pairs } from '../../domain/language';
import { ERRORS } from '../../domain/errors';
import { VOCABULARY } from '../../domain/vocabulary';
import type { ItemRefusal } from '../../domain/transfer-batch';

type Refusals = Readonly<Record<ItemRefusal, string>>;

export const WORDS = translate({
  ...VOCABULARY,
  new_batch: ['Send many', 'Envoyer à plusieurs'],
  lead: [
    'A CSV file with one transfer in each line. It is checked first: you see what each line would come to before anything is sent.',
    'Un fichier CSV avec un transfert par ligne. Il est d’abord vérifié : vous voyez ce que donnerait chaque ligne avant tout envoi.',
  ],
  columns: [
    'The first line names the columns: to_username, currency, amount, and if you like idempotency_key and description. At most 10,000 lines.',
    'La première ligne nomme les colonnes : bénéficiaire, devise, montant et, si vous voulez, motif et idempotency_key (ou leurs noms anglais). 10 000 lignes au plus.',
  ],
  example: ['Example', 'Exemple'],
  model: ['Download a template to fill in', 'Télécharger un modèle à remplir'],
  without_currency: [
    (currency: string) => `An amount without a currency is in ${currency}.`,
    (currency) => `Un montant sans devise est en ${currency}.`,
  ],
  model_file: ['transfers.csv', 'transferts.csv'],
  file: ['CSV file', 'Fichier CSV'],
  mode: ['If a transfer is refused', 'Si un transfert est refusé'],
  modes: {
    independent: ['Carry out the others', 'Effectuer les autres'],
    atomic: ['Carry out none', 'N’en effectuer aucun'],
  },
  check: ['Check the file', 'Vérifier le fichier'],
  frozen: ERRORS.account_frozen.shown,
  no_file: ['Choose a file.', 'Choisissez un fichier.'],
  header: [
    'The first line must name to_username, amount, and currency unless your account is in a country of the CFA franc; it may name idempotency_key and description.',
    'La première ligne doit nommer bénéficiaire, montant, et devise sauf si votre compte est dans un pays du franc CFA ; elle peut nommer idempotency_key et motif.',
  ],
  file_faults: {
    empty: ['The file has no transfers.', 'Le fichier ne contient aucun transfert.'],
    too_many: [
      'The file has more than 10,000 transfers, or 20,000 lines. Divide it.',
      'Le fichier contient plus de 10 000 transferts, ou 20 000 lignes. Divisez-le.',
    ],
    workbook: [
      'This is an Excel workbook (.xlsx), which cannot be read here. In Excel choose File, Save as, and the type “CSV UTF-8”; in Google Sheets File, Download, CSV. Then send that file.',
      'Ce fichier est un classeur Excel (.xlsx), illisible ici. Dans Excel, choisissez Fichier, Enregistrer sous, puis le type « CSV UTF-8 » ; dans Google Sheets, Fichier, Télécharger, CSV. Envoyez ensuite ce fichier.',
    ],
    encoding: [
      'The letters of this file cannot be read. In Excel, save it as “CSV UTF-8”.',
      'Les lettres de ce fichier sont illisibles. Dans Excel, enregistrez-le en « CSV UTF-8 ».',
    ],
    syntax: [
      'This is not CSV: a quotation mark is missing.',
      'Ce n’est pas du CSV : il manque un guillemet.',
    ],
    long_line: [
      'A line is too long. Perhaps a quotation mark is missing.',
      'Une ligne est trop longue. Il manque peut-être un guillemet.',
    ],
    wide: ['A line has more than 32 columns.', 'Une ligne a plus de 32 colonnes.'],
  },
  in_line: [
    (line: number) => `Line ${formatCount('en', line)}`,
    (line) => `Ligne ${formatCount('fr', line)}`,
  ],
  wrong_lines: [
    (count: number, has_more: boolean) =>
      `${has_more ? 'More than ' : ''}${counted('en', count, 'line is', 'lines are')} wrong. Nothing was stored.`,
    (count, has_more) =>
      `${has_more ? 'Plus de ' : ''}${counted('fr', count, 'ligne est erronée', 'lignes sont erronées')}. Rien n’a été enregistré.`,
  ],
  line: ['Line', 'Ligne'],
  place: ['Transfer', 'Transfert'],
  fault: ['What is wrong', 'Erreur'],
  faults: {
    columns: [
      'It does not have as many columns as the first line.',
      'Elle n’a pas autant de colonnes que la première ligne.',
    ],
    not_failed: [
      'By its status it is under way or carried out: delete this line.',
      'D’après son statut, elle est en cours ou effectuée : supprimez cette ligne.',
    ],
    missing: ['The recipient is missing.', 'Il manque le destinataire.'],
    too_long: [
      'The recipient has more than 64 characters.',
      'Le destinataire a plus de 64 caractères.',
    ],
    as_decimal: [
      'A spreadsheet has made a decimal of the recipient. Write its digits alone.',
      'Un tableur a transformé le destinataire en nombre décimal. N’écrivez que ses chiffres.',
    ],
    long_description: [
      'The description has more than 255 characters.',
      'La description a plus de 255 caractères.',
    ],
    unknown: [
      `The currency must be ${listCurrencies()}.`,
      `La devise doit être ${listCurrencies('ou')}.`,
    ],
    format: [
      'The amount must be a number, such as 15,000 or 12.50.',
      'Le montant doit être un nombre, par exemple 15 000 ou 12,50.',
    ],
    ambiguous: [
      'This amount could be a thousand times larger or smaller: write it without grouping, such as 1000.00 or 1.00.',
      'Ce montant pourrait être mille fois plus grand ou plus petit : écrivez-le sans séparer les milliers, par exemple 1000,00 ou 1,00.',
    ],
    other_currency: [
      'The amount has the sign of another currency.',
      'Le montant porte le signe d’une autre devise.',
    ],
    too_precise: [
      'The amount has more decimals than its currency allows.',
      'Le montant a plus de décimales que sa devise n’en permet.',
    ],
    zero: ['The amount must be more than zero.', 'Le montant doit être supérieur à zéro.'],
    too_large: ['The amount is too large.', 'Le montant est trop grand.'],
    above_maximum: [
      'The amount is above the limit of one transfer.',
      'Le montant dépasse la limite d’un transfert.',
    ],
    yourself: ['This is your own username.', 'C’est votre propre nom d’utilisateur.'],
    repeated: [
      'Another line has this idempotency_key.',
      'Une autre ligne porte cet idempotency_key.',
    ],
    characters: [
      'The idempotency_key has other characters than printable ASCII.',
      'L’idempotency_key contient d’autres caractères que l’ASCII imprimable.',
    ],
  },
  batch: ['Batch of transfers', 'Envoi groupé'],
  checked_batch: ['Check of a batch', 'Vérification de transferts groupés'],
  statuses: {
    processing: ['Under way', 'En cours'],
    completed: ['Completed', 'Terminé'],
    failed: ['Refused', 'Refusé'],
    canceled: ['Canceled', 'Annulé'],
  },
  status: ['State', 'État'],
  progress: [
    (done: number, total: number) => `${formatCount('en', done)} of ${formatCount('en', total)}`,
    (done, total) => `${formatCount('fr', done)} sur ${formatCount('fr', total)}`,
  ],
  would_succeed: ['Would be carried out', 'Seraient effectués'],
  would_fail: ['Would be refused', 'Seraient refusés'],
  succeeded: ['Carried out', 'Effectués'],
  failed: ['Refused', 'Refusés'],
  held: ['Being checked', 'En vérification'],
  pending: ['Not begun', 'Non commencés'],
  sum: ['Sum', 'Somme'],
  created: ['Ordered', 'Demandé'],
  finished: ['Finished', 'Terminé'],
  dry: [
    'Nothing has been sent: this is what would happen now.',
    'Rien n’a été envoyé : voici ce qui se passerait maintenant.',
  ],
  simulated: [
    'In the sandbox transfers are simulated: no balance changes.',
    'En mode test, les transferts sont simulés : aucun solde ne change.',
  ],
  atomic_refused: [
    'One transfer was refused, so none was carried out.',
    'Un transfert a été refusé, et aucun n’a donc été effectué.',
  ],
  send: [
    (amounts: string, count: number) =>
      `Send ${amounts} to ${counted('en', count, 'person', 'people')}`,
    (amounts, count) => `Envoyer ${amounts} à ${counted('fr', count, 'personne', 'personnes')}`,
  ],
  repeated: [
    (list: string) => `Paid more than once here: ${list}. Check that this is meant.`,
    (list) => `Payés plusieurs fois ici : ${list}. Vérifiez que c’est voulu.`,
  ],
  same_before: [
    (count: number) =>
      `${counted('en', count, 'transfer is', 'transfers are')} the same, by recipient and amount, as in a list of the past 5 days:`,
    (count) =>
      `${counted('fr', count, 'transfert a', 'transferts ont')} le même bénéficiaire et le même montant que dans une liste de ces 5 derniers jours :`,
  ],
  without_refused: ['What would be refused is not sent.', 'Ce qui serait refusé n’est pas envoyé.'],
  lines: ['Each transfer', 'Chaque transfert'],
  next_lines: ['Next transfers', 'Transferts suivants'],
  first_lines: ['First transfers', 'Premiers transferts'],
  description: ['For', 'Motif'],
  possible: ['Possible', 'Possible'],
  once: [
    'However often this is pressed, the money is sent once.',
    'Même si vous appuyez plusieurs fois sur ce bouton, l’argent n’est envoyé qu’une fois.',
  ],
  cancel: ['Stop what is not begun', 'Arrêter ce qui n’est pas commencé'],
  canceled: ['What was not begun is stopped.', 'Ce qui n’était pas commencé est arrêté.'],
  not_cancelable: ERRORS.batch_not_cancelable.shown,
  atomic_limit: [
    (most: number) =>
      `With “Carry out none” a file has at most ${counted('en', most, 'transfer', 'transfers')}. Divide it, or choose “Carry out the others”.`,
    (most) =>
      `Avec « N’en effectuer aucun », un fichier contient au plus ${counted('fr', most, 'transfert', 'transferts')}. Divisez-le, ou choisissez « Effectuer les autres ».`,
  ],
  unknown_limit: [
    (minutes: number, names: string) =>
      `Too many unknown usernames were tried in the past hour. Check ${names || 'the recipients'}, and try again in ${counted('en', minutes, 'minute', 'minutes')}.`,
    (minutes, names) =>
      `Trop de noms d’utilisateur inconnus ont été essayés au cours de la dernière heure. Vérifiez ${names || 'les destinataires'} et réessayez dans ${counted('fr', minutes, 'minute', 'minutes')}.`,
  ],
  refused_list: ['Refused transfers', 'Transferts refusés'],
  first_refused: [
    (count: number) =>
      `The first ${plural('en', count, 'one', `${formatCount('en', count)} of them`)}. The file has all.`,
    (count) =>
      `${plural('fr', count, 'Le premier', `Les ${formatCount('fr', count)} premiers`)}. Le fichier les contient tous.`,
  ],
  download: ['All transfers as CSV', 'Tous les transferts en CSV'],
  total: ['Transfers', 'Transferts'],
  all_batches: ['All batches', 'Tous les transferts groupés'],
  single: ['Send to one recipient', 'Envoyer à un seul destinataire'],
  not_ready: ['The check is not finished yet.', 'La vérification n’est pas encore terminée.'],
  refusals: {
    insufficient_funds: ['The balance is too low.', 'Le solde ne suffit pas.'],
    recipient_not_found: ['No account has this username.', 'Ce nom d’utilisateur n’existe pas.'],
    account_frozen: ['Your account is frozen.', 'Votre compte est gelé.'],
    kyc_required: ['Your identity check is not approved.', 'Votre identité n’est pas vérifiée.'],
    self_transfer: ['This is your own username.', 'C’est votre propre nom d’utilisateur.'],
    idempotency_key_reuse: [
      'This idempotency_key was used with other values.',
      'Cet idempotency_key a servi avec d’autres valeurs.',
    ],
    risk_held: [
      'It would wait for a check by the operator of this service.',
      'Il attendrait une vérification de l’opérateur de ce service.',
    ],
    risk_refused: [
      'The operator of this service does not carry it out.',
      'L’opérateur de ce service ne l’exécute pas.',
    ],
    batch_refused: [
      'Another transfer of the batch was refused.',
      'Un autre transfert de l’envoi a été refusé.',
    ],
    limit_exceeded: [
      'Above a limit: of the account, of its recipient, or of the API key.',
      'Au-dessus d’un plafond : du compte, du destinataire ou de la clé API.',
    ],
    lapsed: ['It was not carried out. Try again.', 'Il n’a pas été effectué. Réessayez.'],
    not_posted: [
      'It could not be carried out. Ask the operator.',
      'Il n’a pas pu être effectué. Contactez l’opérateur.',
    ],
  } satisfies Pairs<Refusals>,
});
