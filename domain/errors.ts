// Every error code of the API, once: its HTTP status, its message, whether the same request may succeed later, and what
// people read about it. The first six are the specification's (section 7). A message says what to do where the caller
// can do something; the page of errors says how it comes about, and what to do.

import { MAX_WAITING_BATCHES } from './batch-limits';
import { MAX_REFUNDS } from './intent';
import { translate, type Pairs } from './language';
import { MAX_ENDPOINTS } from './webhook';

interface ErrorRow {
  readonly status: number;
  /** True when the same request may succeed later. */
  readonly retryable?: true;
  readonly message: string;
  /** For the pages of people, who have no requests and no keys. */
  readonly shown?: Pairs<string>;
  readonly cause: Pairs<string>;
  readonly remedy: Pairs<string>;
}

const REPEAT: Pairs<string> = [
  'Repeat the request with the same Idempotency-Key: whatever was done is done once, and you get its result.',
  'Répétez la requête avec la même Idempotency-Key : ce qui a été fait ne l’est qu’une fois, et vous recevez son résultat.',
];
const CHECK_ID: Pairs<string> = [
  'Check the id, and that the key belongs to the environment (test or live) in which it was made.',
  'Vérifiez l’identifiant, et que la clé appartient au mode (test ou réel) dans lequel il a été créé.',
];

const OR_REFERENCE: Pairs<string> = [' or reference', ' ou cette référence'];

/** A thing that a caller has named and that is not there. */
function missing(noun: string, none: string, or: Pairs<string> = ['', '']): ErrorRow {
  return {
    status: 404,
    message: `No such ${noun}.`,
    cause: [
      `There is no ${noun} with this id${or[0]} in this account and environment.`,
      `${none} de ce compte et de ce mode ne porte cet identifiant${or[1]}.`,
    ],
    remedy: CHECK_ID,
  };
}

export const ERRORS = {
  unauthorized: {
    status: 401,
    message:
      'The API key is missing, invalid or revoked. Send a valid one as a bearer token, "Authorization: Bearer pay_test_…".',
    cause: [
      'The header Authorization is missing, does not begin with “Bearer ”, or has a key that does not exist, was revoked, or may not be used from this address.',
      'L’en-tête Authorization manque, ne commence pas par « Bearer », ou contient une clé qui n’existe pas, qui a été révoquée ou qui n’est pas autorisée depuis cette adresse.',
    ],
    remedy: [
      'Send “Authorization: Bearer KEY”. The dashboard lists which keys are active, from where each may be used, and makes new ones.',
      'Envoyez « Authorization: Bearer CLÉ ». Le tableau de bord montre les clés actives et les adresses autorisées, et en crée de nouvelles.',
    ],
  },
  invalid_request: {
    status: 422,
    message: 'The request is not valid.',
    cause: [
      'A field, query parameter or path does not have the form that the API describes.',
      'Un champ, un paramètre ou un chemin n’a pas la forme que décrit la documentation de l’API.',
    ],
    remedy: [
      'Read param and details: they name each field and what it must be. Change it and send again.',
      'Lisez param et details : ils nomment chaque champ et ce qui est attendu. Corrigez, puis renvoyez.',
    ],
  },
  invalid_json: {
    status: 400,
    message: 'The body is not valid JSON.',
    cause: [
      'The body could not be read as JSON: a comma, a quotation mark or the end is missing, or a name stands twice.',
      'Le corps n’est pas du JSON valide : il manque une virgule, un guillemet ou la fin, ou un nom y figure deux fois.',
    ],
    remedy: [
      'Let a JSON library write the body, and send it as UTF-8.',
      'Laissez une bibliothèque JSON écrire le corps, et envoyez-le en UTF-8.',
    ],
  },
  insufficient_funds: {
    status: 402,
    message: 'The balance is too low for this transfer.',
    shown: [
      'Your wallet does not hold enough for this any more. Nothing was sent.',
      'Votre portefeuille ne suffit plus pour ce montant. Rien n’a été envoyé.',
    ],
    cause: [
      'The wallet of this currency holds less than the amount.',
      'Le portefeuille dans cette devise contient moins que le montant demandé.',
    ],
    remedy: [
      'Look at GET /wallets, send less, or wait for money to come in; then use a new Idempotency-Key, because this answer is kept for the old one.',
      'Consultez GET /wallets, envoyez moins, ou attendez une rentrée d’argent ; utilisez ensuite une nouvelle Idempotency-Key, car cette réponse est conservée pour l’ancienne.',
    ],
  },
  recipient_not_found: {
    status: 404,
    message: 'No user has this username.',
    shown: ['No account has this username.', 'Ce nom d’utilisateur n’existe pas.'],
    cause: [
      'No account has the username in to_username.',
      'Aucun compte ne porte le nom d’utilisateur indiqué dans to_username.',
    ],
    remedy: [
      'Ask the recipient for their username; letters are lower case. Then use a new Idempotency-Key.',
      'Demandez son nom d’utilisateur au bénéficiaire ; les lettres sont minuscules. Utilisez ensuite une nouvelle Idempotency-Key.',
    ],
  },
  rate_limited: {
    status: 429,
    retryable: true,
    message: 'Too many requests with this key. Wait as many seconds as Retry-After says.',
    cause: [
      'The key has made as many requests in this minute as it may; writes have a lower limit of their own.',
      'La clé a fait pendant cette minute toutes les requêtes auxquelles elle a droit ; les écritures ont leur propre limite, plus basse.',
    ],
    remedy: [
      'Wait for as many seconds as Retry-After says. X-RateLimit-Remaining tells before that how many are left. Spread requests evenly, or ask the operator for a higher limit.',
      'Attendez le nombre de secondes indiqué par Retry-After. X-RateLimit-Remaining annonce ce qui reste. Répartissez les requêtes, ou demandez une limite plus haute à l’opérateur.',
    ],
  },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be one line of 1 to 255 printable ASCII characters.',
    cause: [
      'The header Idempotency-Key is empty, longer than 255 characters, has other characters than printable ASCII, or was sent twice (a comma with a space after it counts as a second one).',
      'L’en-tête Idempotency-Key est vide, dépasse 255 caractères, contient autre chose que de l’ASCII imprimable, ou a été envoyé deux fois (une virgule suivie d’une espace compte comme une deuxième fois).',
    ],
    remedy: [
      'Use a random UUID for each operation, and the same one when you repeat it. Look whether your HTTP client adds a key of its own.',
      'Utilisez un UUID aléatoire pour chaque opération, et le même quand vous la répétez. Vérifiez que votre client HTTP n’ajoute pas sa propre clé.',
    ],
  },
  forbidden: {
    status: 403,
    message: 'This request is not allowed.',
    shown: ['Your role does not allow this.', 'Votre rôle ne le permet pas.'],
    cause: [
      'The key lacks the scope of this operation, or the operation is closed to this account.',
      'La clé n’a pas le droit (scope) qu’il faut, ou l’opération est fermée pour ce compte.',
    ],
    remedy: [
      'Use a key with the scope that the message names, or add it to the key in the dashboard.',
      'Utilisez une clé qui a le scope indiqué dans le message, ou ajoutez-le à la clé dans le tableau de bord.',
    ],
  },
  approval_by_creator: {
    status: 403,
    message: 'A payout is approved by another person than the one who ordered it.',
    shown: [
      'You have ordered this payout: another owner approves it.',
      'Vous avez demandé cet envoi : un autre propriétaire doit l’approuver.',
    ],
    cause: [
      'The key, or the person who is signed in, is the one that ordered the payout.',
      'La clé, ou la personne connectée, est celle qui a demandé l’envoi.',
    ],
    remedy: [
      'Ask another owner of the account to approve it, or cancel it.',
      'Demandez à un autre propriétaire du compte de l’approuver, ou annulez-le.',
    ],
  },
  account_frozen: {
    status: 403,
    message:
      'This account is frozen. Ask the operator; once it is unfrozen, repeat the request with the same Idempotency-Key.',
    shown: [
      'This account is frozen, so nothing can be sent from it.',
      'Ce compte est gelé : aucun envoi n’est possible.',
    ],
    cause: [
      'The operator of this service has frozen the account.',
      'L’opérateur de ce service a gelé le compte.',
    ],
    remedy: [
      'Ask the operator. Once it is unfrozen, repeat the request with the same Idempotency-Key.',
      'Adressez-vous à l’opérateur. Une fois le compte dégelé, répétez la requête avec la même Idempotency-Key.',
    ],
  },
  kyc_required: {
    status: 403,
    message:
      'Live money is asked for and sent only with an approved identity check. Submit it in the dashboard under Profile; once it is approved, repeat the request with the same Idempotency-Key.',
    shown: [
      'Live money is sent only after an approved identity check.',
      'L’argent réel n’est envoyé qu’après une vérification d’identité approuvée.',
    ],
    cause: [
      'Live keys, payment links, transfers, bulk transfers, refunds and reversals are about real money, and the identity check of this account is not approved, or no longer.',
      'Les clés de production, liens de paiement, transferts, transferts groupés, remboursements et annulations portent sur de l’argent réel, et la vérification d’identité de ce compte n’est pas approuvée, ou ne l’est plus.',
    ],
    remedy: [
      'Submit the identity check in the dashboard under Profile, then repeat the request with the same Idempotency-Key. Until then use a test key. What arrives meanwhile waits in the wallet.',
      'Envoyez la vérification d’identité dans le tableau de bord, sous Profil, puis répétez la requête avec la même Idempotency-Key. D’ici là, utilisez une clé de test. Ce qui arrive entre-temps attend dans le portefeuille.',
    ],
  },
  risk_refused: {
    status: 403,
    message:
      'The operator of this service does not carry this out. Do not repeat it; ask the operator if it is right all the same.',
    shown: [
      'The operator of this service does not carry this out. Nothing was sent.',
      'L’opérateur de ce service n’exécute pas cet envoi. Rien n’a été envoyé.',
    ],
    cause: [
      'The operator has rules about what may leave an account, and this is against one of them. Which one is told to nobody.',
      'L’opérateur a des règles sur ce qui peut quitter un compte, et ceci en enfreint une. Laquelle n’est dite à personne.',
    ],
    remedy: [
      'Do not repeat the request: nothing was moved, and the key is free. Ask the operator of this service.',
      'Ne répétez pas la requête : rien n’a bougé, et la clé reste libre. Adressez-vous à l’opérateur de ce service.',
    ],
  },
  risk_held: {
    status: 422,
    message:
      'This transfer would wait for a check by the operator, and an atomic batch does not wait.',
    cause: [
      'An atomic batch is carried out as a whole or not at all, and one of its transfers would be held for a check.',
      'Un envoi atomique est exécuté en entier ou pas du tout, et l’un de ses transferts serait retenu pour vérification.',
    ],
    remedy: [
      'Order the transfers with mode “independent”: those that are held follow later, or come back.',
      'Commandez les transferts en mode « independent » : ceux qui sont retenus suivent plus tard, ou reviennent.',
    ],
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this address.',
    cause: ['No route of the API has this path.', 'Aucune route de l’API n’a ce chemin.'],
    remedy: [
      'Compare the path with /openapi.json; it begins with the version.',
      'Comparez-le avec /openapi.json ; il commence par la version.',
    ],
  },
  transaction_not_found: missing('transaction', 'Aucune transaction', OR_REFERENCE),
  statement_not_found: {
    status: 404,
    message: 'The wallet has no statement of this month.',
    cause: [
      'The path does not end with a currency and a month, such as XOF/2026-11, or the month is before the account was made or still to come.',
      'Le chemin ne finit pas par une devise et un mois, comme XOF/2026-11, ou ce mois précède la création du compte ou est encore à venir.',
    ],
    remedy: [
      'GET /statements lists those that there are.',
      'GET /statements énumère ceux qui existent.',
    ],
  },
  payment_intent_not_found: missing('payment intent', 'Aucun lien de paiement'),
  attempt_not_found: {
    status: 404,
    message: 'No such attempt to pay this payment intent.',
    cause: [
      'This payment intent has no attempt with this id.',
      'Ce lien de paiement n’a pas de tentative qui porte cet identifiant.',
    ],
    remedy: [
      'Check the id, and that it is of this payment intent.',
      'Vérifiez l’identifiant, et que la tentative est bien celle de ce lien.',
    ],
  },
  payment_link_not_found: missing('reusable link', 'Aucun lien réutilisable', [
    ' or code',
    ' ou ce code',
  ]),
  idempotency_key_not_found: {
    status: 404,
    message:
      'No request with this Idempotency-Key has had an effect, and none that came before this one still can.',
    cause: [
      'No request of this account and environment with this key and operation has had an effect. Those that came earlier are over: none of them can have one any more.',
      'Aucune requête de ce compte et de ce mode avec cette clé et cette opération n’a eu d’effet. Les précédentes sont terminées : aucune ne peut plus en avoir.',
    ],
    remedy: [
      'Send the request, with the same key or with a new one. Check the operation, and that the key belongs to the environment (test or live).',
      'Envoyez la requête, avec la même clé ou une nouvelle. Vérifiez l’opération, et que la clé d’API appartient au bon mode (test ou réel).',
    ],
  },
  transfer_not_found: {
    status: 404,
    message: 'No such transfer.',
    cause: [
      'There is no transfer with this reference or Idempotency-Key in this account and environment.',
      'Aucun transfert de ce compte et de ce mode ne porte cette référence ou cette Idempotency-Key.',
    ],
    remedy: [
      'Check both. A transfer that was refused has no reference.',
      'Vérifiez les deux. Un transfert refusé n’a pas de référence.',
    ],
  },
  transfer_batch_not_found: missing('transfer batch', 'Aucun transfert groupé'),
  refund_not_found: missing('refund', 'Aucun remboursement'),
  dispute_not_found: missing('dispute', 'Aucune réclamation'),
  payout_not_found: missing('payout', 'Aucun envoi', OR_REFERENCE),
  fee_invoice_not_found: {
    status: 404,
    message: 'No such invoice.',
    cause: [
      'There is no invoice of fees with this number in this account and environment.',
      'Ce compte n’a pas, dans ce mode, de facture de frais qui porte ce numéro.',
    ],
    remedy: [
      'Take the number from `GET /fee-invoices`, with a key of the same environment.',
      'Reprenez le numéro donné par `GET /fee-invoices`, avec une clé du même mode.',
    ],
  },
  payout_batch_not_found: {
    status: 404,
    message: 'No such payout batch.',
    cause: [
      'There is no payout batch with this id in this account and environment.',
      'Ce compte n’a pas, dans ce mode, d’envois groupés qui portent cet identifiant.',
    ],
    remedy: CHECK_ID,
  },
  webhook_endpoint_not_found: {
    status: 404,
    message: 'No such webhook endpoint.',
    cause: [
      'There is no such endpoint in this account and environment, or it was deleted.',
      'Cet endpoint n’existe pas dans ce compte et ce mode, ou il a été supprimé.',
    ],
    remedy: ['List the endpoints with the same key.', 'Listez les endpoints avec la même clé.'],
  },
  event_not_found: {
    ...missing('event', 'Aucun événement'),
    remedy: [
      'Use the id of a webhook’s body or of GET /events, with a key of the same environment.',
      'Utilisez l’identifiant du corps d’un webhook ou de GET /events, avec une clé du même mode.',
    ],
  },
  webhook_delivery_not_found: {
    ...missing('webhook delivery', 'Aucune livraison'),
    remedy: ['List the deliveries with the same key.', 'Listez les livraisons avec la même clé.'],
  },
  webhook_resend_not_found: {
    ...missing('webhook resend', 'Aucun renvoi'),
    remedy: [
      'Use the id that the request to resend returned.',
      'Utilisez l’identifiant qu’a retourné la demande de renvoi.',
    ],
  },
  method_not_allowed: {
    status: 405,
    message: 'This address does not support this method. Use one that Allow lists.',
    cause: [
      'The path exists, but not with this HTTP method.',
      'Le chemin existe, mais pas avec cette méthode HTTP.',
    ],
    remedy: [
      'Use a method that the header Allow lists.',
      'Utilisez une méthode que nomme l’en-tête Allow.',
    ],
  },
  idempotency_in_progress: {
    status: 409,
    retryable: true,
    message: 'A request with this Idempotency-Key is still running. Retry in a moment.',
    cause: [
      'Another request with this Idempotency-Key is being carried out at this moment.',
      'Une autre requête avec cette Idempotency-Key est en cours en ce moment même.',
    ],
    remedy: [
      'Wait a second and repeat it: you get the result of the first.',
      'Attendez une seconde et répétez-la : vous recevez le résultat de la première.',
    ],
  },
  payment_intent_not_payable: {
    status: 409,
    message: 'This payment intent cannot be paid any more. Look at its status.',
    cause: [
      'The payment intent is paid, canceled or expired, or its payment is under way.',
      'Le lien est payé, annulé ou expiré, ou son paiement est en cours.',
    ],
    remedy: [
      'Read its status. For another payment make another payment intent.',
      'Lisez son état. Pour un autre paiement, créez un autre lien.',
    ],
  },
  attempt_in_progress: {
    status: 409,
    message:
      'A customer is being asked to pay this payment intent. Wait until that attempt has ended.',
    cause: [
      'A payment intent has one attempt at a time, and the last one waits for its customer.',
      'Un lien a une seule tentative à la fois, et la dernière attend son client.',
    ],
    remedy: [
      'Read the attempts of the payment intent. The waiting one ends when the customer confirms, declines, or lets its time pass (`expires_at`); then a new one can begin.',
      'Lisez les tentatives du lien. Celle qui attend se termine quand le client confirme, refuse ou laisse passer le délai (`expires_at`) ; une autre peut alors commencer.',
    ],
  },
  otp_not_expected: {
    status: 409,
    message: 'This attempt waits for no one-time code.',
    cause: [
      'The attempt has ended, its operator asks for no one-time code, or it has its code.',
      'La tentative est terminée, son opérateur ne demande pas de code à usage unique, ou elle a déjà son code.',
    ],
    remedy: [
      'Read the attempt. After a wrong code begin a new one.',
      'Lisez la tentative. Après un code faux, commencez-en une autre.',
    ],
  },
  intent_not_cancelable: {
    status: 409,
    message: 'This payment intent cannot be cancelled any more.',
    cause: [
      'The payment has succeeded, failed or expired, or is being made right now, maybe by a phone that has to confirm it.',
      'Le paiement a réussi, échoué ou expiré, ou il est en train d’être fait, y compris par un téléphone qui doit encore le confirmer.',
    ],
    remedy: [
      'Read the intent’s status. A payment that has arrived is given back by a refund or a transfer.',
      'Lisez le statut du lien de paiement. Un paiement arrivé se rend par un remboursement ou un transfert.',
    ],
  },
  batch_not_cancelable: {
    status: 409,
    message: 'This transfer batch is over and cannot be cancelled any more.',
    shown: ['The batch was over already.', 'Ces transferts étaient déjà terminés.'],
    cause: [
      'Every transfer of the batch is done, or it was refused as a whole.',
      'Tous ces transferts sont terminés, ou ils ont été refusés dans leur ensemble.',
    ],
    remedy: [
      'Read its status and its transfers. What was sent is given back by a transfer.',
      'Lisez son statut et ses transferts. Ce qui a été envoyé se rend par un transfert en retour.',
    ],
  },
  batch_limit: {
    status: 409,
    retryable: true,
    message: `Batch limit reached (${MAX_WAITING_BATCHES} that are not over). Wait until one is, or cancel one.`,
    shown: [
      'Too many batches of this account are under way. Wait until one is over.',
      'Trop de transferts groupés de ce compte sont en cours. Attendez que l’un soit terminé.',
    ],
    cause: [
      `So many batches of an account wait in one environment (${MAX_WAITING_BATCHES}); they are carried out one after the other.`,
      `Trop de transferts groupés d’un compte attendent dans un mode (${MAX_WAITING_BATCHES}) ; ils sont exécutés l’un après l’autre.`,
    ],
    remedy: [
      'Wait until one is over, or cancel one; then repeat the request with the same Idempotency-Key. Put more transfers into each batch.',
      'Attendez qu’un envoi soit terminé, ou annulez-en un ; répétez ensuite la requête avec la même Idempotency-Key. Mettez plus de transferts dans chaque envoi.',
    ],
  },
  batch_refused: {
    status: 422,
    message: 'Another transfer of this atomic batch was refused, so none of them was carried out.',
    cause: [
      'A transfer of an atomic batch would not be carried out for another reason.',
      'Un autre des transferts groupés en mode atomique ne serait pas exécuté, pour une autre raison.',
    ],
    remedy: [
      'List the failed transfers of the batch: those with another code are the reason. Mend them, and order a new batch.',
      'Listez les transferts échoués de l’envoi : ceux qui portent un autre code en sont la raison. Corrigez-les, et commandez un nouvel envoi.',
    ],
  },
  payment_intent_not_refundable: {
    status: 409,
    message:
      'Only a payment that has succeeded can be refunded. Look at the status of the payment intent.',
    shown: [
      'Only a payment that has arrived can be refunded.',
      'Seul un paiement arrivé peut être remboursé.',
    ],
    cause: [
      'The payment intent has not been paid: its status is not succeeded.',
      'Le lien n’a pas été payé : son statut n’est pas succeeded.',
    ],
    remedy: [
      'Wait for payment.succeeded, or cancel the intent. Money that came for an intent that has ended is with the operator.',
      'Attendez payment.succeeded, ou annulez le lien. L’argent arrivé pour un lien terminé est chez l’opérateur.',
    ],
  },
  too_many_refunds: {
    status: 409,
    message: `This payment has had ${MAX_REFUNDS} refunds, the most there may be. Give the rest back another way.`,
    shown: [
      `This payment has had ${MAX_REFUNDS} refunds, the most there may be. Give the rest back another way.`,
      `Ce paiement a déjà fait l’objet de ${MAX_REFUNDS} remboursements, le maximum. Rendez le reste autrement.`,
    ],
    cause: [
      `A payment has at most ${MAX_REFUNDS} refunds; those that failed count.`,
      `Un paiement a au plus ${MAX_REFUNDS} remboursements ; ceux qui ont échoué comptent.`,
    ],
    remedy: [
      'Give the rest back outside of the service. Refund larger parts, so that few are enough.',
      'Rendez le reste hors du service. Remboursez des montants plus grands, pour que peu suffisent.',
    ],
  },
  payment_disputed: {
    status: 409,
    message:
      'The customer’s bank takes this payment back, or has done so: a refund would pay it twice.',
    shown: [
      'The customer’s bank takes this payment back, or has done so: a refund would pay it twice.',
      'La banque du client reprend ce paiement, ou l’a déjà repris : un remboursement le paierait deux fois.',
    ],
    cause: [
      'The payment has a dispute that is open or lost: its money goes back through the bank.',
      'Le paiement a une réclamation ouverte ou perdue : son argent revient au client par la banque.',
    ],
    remedy: [
      'Refund nothing. Once the dispute is won (dispute.won), the payment can be refunded again.',
      'Ne remboursez rien. Une fois la réclamation gagnée (dispute.won), le paiement redevient remboursable.',
    ],
  },
  webhook_endpoint_disabled: {
    status: 409,
    message: 'This webhook endpoint is disabled. Enable it first.',
    cause: [
      'You have disabled the endpoint, or it failed for days, or it answered 410.',
      'Vous avez désactivé l’endpoint, ou il a échoué pendant des jours, ou il a répondu 410.',
    ],
    remedy: [
      'Enable it (status: enabled); what was held is sent then.',
      'Réactivez-le (status: enabled) ; ce qui était retenu est alors envoyé.',
    ],
  },
  webhook_resend_running: {
    status: 409,
    retryable: true,
    message:
      'A resend of this endpoint is under way. Send the request again once it has completed.',
    cause: [
      'Deliveries of a period are being queued again for this endpoint; one resend at a time.',
      'Les livraisons d’une période sont en train d’être remises en file pour cet endpoint ; un renvoi à la fois.',
    ],
    remedy: [
      'Read GET /webhook-resends/{id} with the id in the message until it has completed. If it is your own request whose response was lost, there is nothing to repeat.',
      'Lisez GET /webhook-resends/{id} avec l’identifiant du message jusqu’à la fin du renvoi. Si c’est votre propre demande dont la réponse s’est perdue, il n’y a rien à répéter.',
    ],
  },
  webhook_endpoint_limit: {
    status: 409,
    message: `Endpoint limit reached (${MAX_ENDPOINTS}). Delete one first.`,
    cause: [
      `An environment of an account has at most ${MAX_ENDPOINTS} endpoints.`,
      `Un mode d’un compte a au plus ${MAX_ENDPOINTS} endpoints.`,
    ],
    remedy: [
      'Delete one that is not needed, or let one receiver pass events on.',
      'Supprimez-en un qui ne sert plus, ou laissez un seul récepteur transmettre les événements.',
    ],
  },
  payout_not_cancelable: {
    status: 409,
    message:
      'The provider has been asked to send this payout, or it is over: it cannot be cancelled any more.',
    shown: [
      'It is too late: the operator has this payout.',
      'Trop tard : l’opérateur a déjà cet envoi.',
    ],
    cause: [
      'The operator was asked to send the payout, or the payout is over.',
      'L’opérateur a déjà reçu l’ordre d’exécuter l’envoi, ou l’envoi est terminé.',
    ],
    remedy: [
      'Read its status. While its outcome is unknown it is asked for: wait for payout.succeeded or payout.failed.',
      'Lisez son statut. Tant que son issue est inconnue, l’opérateur est interrogé : attendez payout.succeeded ou payout.failed.',
    ],
  },
  payout_not_confirmable: {
    status: 409,
    message: 'This payout waits for no confirmation.',
    shown: [
      'This payout does not wait for confirmation any more.',
      'Cet envoi n’est plus à confirmer.',
    ],
    cause: [
      'The payout waits for an approval, was sent, is over, or waited for too long.',
      'L’envoi attend une approbation, est parti, est terminé ou a attendu trop longtemps.',
    ],
    remedy: [
      'Read its status. Order a new payout with a new Idempotency-Key where it was canceled.',
      'Lisez son statut. S’il a été annulé, demandez un nouvel envoi avec une nouvelle Idempotency-Key.',
    ],
  },
  payout_not_approvable: {
    status: 409,
    message: 'This payout waits for no approval.',
    shown: [
      'This payout does not wait for approval any more.',
      'Cet envoi n’est plus à approuver.',
    ],
    cause: [
      'The payout needs no approval, has it already, is over, or waited for too long.',
      'L’envoi n’attend pas d’approbation, l’a déjà, est terminé ou a attendu trop longtemps.',
    ],
    remedy: ['Read its status.', 'Lisez son statut.'],
  },
  payout_batch_not_cancelable: {
    status: 409,
    message:
      'Each payout of this batch was ordered already, or has ended: there is nothing to cancel.',
    shown: ['There was nothing left to stop.', 'Il n’y avait plus rien à arrêter.'],
    cause: [
      'Each payout of the batch was ordered already, or has ended.',
      'Tous ces envois sont déjà demandés, ou terminés.',
    ],
    remedy: [
      'Read its payouts. A payout that its operator has not sent yet can be canceled by itself.',
      'Lisez ses envois. Un envoi que son opérateur n’a pas encore envoyé peut être annulé seul.',
    ],
  },
  payout_batch_not_confirmable: {
    status: 409,
    message: 'This payout batch waits for no confirmation.',
    shown: [
      'The batch waits for no confirmation any more.',
      'Ces envois n’attendent plus de confirmation.',
    ],
    cause: [
      'The batch is being looked at, waits for an approval, was sent, is over, or waited for too long; or it was confirmed with another exclude.',
      'Les destinations sont en cours de vérification, ou les envois groupés attendent une approbation, sont partis, sont terminés ou ont attendu trop longtemps ; ou ils ont été confirmés avec un autre exclude.',
    ],
    remedy: [
      'Read its status. Order a new batch with a new Idempotency-Key where it was canceled.',
      'Lisez leur statut. S’ils ont été annulés, demandez-les à nouveau avec une nouvelle Idempotency-Key.',
    ],
  },
  payout_batch_not_approvable: {
    status: 409,
    message: 'This payout batch waits for no approval.',
    shown: [
      'The batch waits for no approval any more.',
      'Ces envois n’attendent plus d’approbation.',
    ],
    cause: [
      'The batch needs no approval, has it already, is over, or waited for too long.',
      'Les envois groupés n’attendent pas d’approbation, l’ont déjà, sont terminés ou ont attendu trop longtemps.',
    ],
    remedy: ['Read its status.', 'Lisez leur statut.'],
  },
  malformed_request: {
    status: 400,
    message: 'This is not a valid HTTP request.',
    cause: [
      'What arrived does not follow HTTP/1.1, names a Host that is none, or has a query of more than 100 parameters or 4,096 characters.',
      'Ce qui est arrivé ne suit pas HTTP/1.1, désigne dans Host ce qui n’est pas un hôte, ou porte une chaîne de requête de plus de 100 paramètres ou de 4 096 caractères.',
    ],
    remedy: [
      'Use an HTTP library; look at what a proxy between you and the service does.',
      'Utilisez une bibliothèque HTTP ; regardez ce que fait un proxy placé entre vous et le service.',
    ],
  },
  request_timeout: {
    status: 408,
    retryable: true,
    message: 'The request did not arrive in time. Send it again, faster.',
    cause: [
      'The whole request did not arrive within the time limit.',
      'La requête n’est pas arrivée entière dans le délai.',
    ],
    remedy: [
      `Send it again over a better connection. Nothing was changed.`,
      'Renvoyez-la par une meilleure connexion. Rien n’a été modifié.',
    ],
  },
  headers_too_large: {
    status: 431,
    message: 'The headers are too large: send at most 16 KiB.',
    cause: [
      'All headers together have more than 16 KiB.',
      'Les en-têtes dépassent ensemble 16 Kio.',
    ],
    remedy: [
      'Send fewer or shorter headers; cookies are not needed.',
      'Envoyez des en-têtes moins nombreux ou plus courts ; les cookies sont inutiles.',
    ],
  },
  payload_too_large: {
    status: 413,
    message: 'The body is too large: send at most 64 KiB.',
    cause: ['The body has more than 64 KiB.', 'Le corps dépasse 64 Kio.'],
    remedy: [
      'Shorten it: metadata and descriptions have limits far below.',
      'Raccourcissez-le : les métadonnées et les descriptions ont des limites bien inférieures.',
    ],
  },
  unsupported_media_type: {
    status: 415,
    message: 'Send the body as application/json, in UTF-8 and not compressed.',
    cause: [
      'The body has another type than JSON, another encoding than UTF-8, or is compressed.',
      'Le corps n’est pas du JSON, a un autre encodage que l’UTF-8, ou est compressé.',
    ],
    remedy: [
      'Send “Content-Type: application/json”, and no Content-Encoding.',
      'Envoyez « Content-Type: application/json », sans Content-Encoding.',
    ],
  },
  idempotency_key_reuse: {
    status: 422,
    message: 'This Idempotency-Key was used with another body. Use a new key for a new request.',
    cause: [
      'This Idempotency-Key belongs to an earlier request whose body was different.',
      'Cette Idempotency-Key appartient à une requête précédente dont le corps était différent.',
    ],
    remedy: [
      'A new operation needs a new key; a repeated one needs exactly the same body. The answer names what differs.',
      'Une nouvelle opération exige une nouvelle clé ; une répétition exige exactement le même corps. La réponse nomme ce qui diffère.',
    ],
  },
  refund_exceeds_payment: {
    status: 422,
    message: 'The refund is more than what is left of the payment. Refund at most that.',
    cause: [
      'The customer would get back more than was paid; pending refunds count.',
      'Le client recevrait plus que ce qu’il a payé ; les remboursements en attente comptent.',
    ],
    remedy: [
      'Read refunded_amount of the payment intent; refund at most the rest, or leave amount out to refund all of it.',
      'Lisez refunded_amount du lien de paiement ; remboursez au plus le reste, ou omettez amount pour tout rembourser.',
    ],
  },
  reversal_exceeds_transfer: {
    status: 422,
    message: 'The reversal is more than what is left of the transfer. Reverse at most that.',
    cause: [
      'The sender would get back more than they sent; earlier reversals count.',
      'L’expéditeur recevrait plus que ce qu’il a envoyé ; ce qui a déjà été rendu compte.',
    ],
    remedy: [
      'Read reversed_amount of the transfer; reverse at most the rest, or leave amount out to reverse all of it.',
      'Lisez reversed_amount du transfert ; rendez au plus le reste, ou omettez amount pour tout rendre.',
    ],
  },
  unsupported_destination: {
    status: 422,
    message: 'No provider pays such a destination in this currency.',
    cause: [
      'No operator of this service pays such a phone or account in this currency.',
      'Aucun opérateur de ce service ne verse dans cette devise à ce téléphone ou à ce compte.',
    ],
    remedy: [
      'Send XOF to phones of the countries that the operator serves. Check the country code.',
      'Versez des XOF aux téléphones des pays que l’opérateur dessert. Vérifiez l’indicatif du pays.',
    ],
  },
  amount_out_of_bounds: {
    status: 422,
    message: 'The operator takes or pays no such amount at once.',
    cause: [
      'The amount is too small or too large for the operator, as a payment by phone or as a payout: details has the bounds.',
      'Le montant est trop faible ou trop élevé pour l’opérateur, en paiement par téléphone comme en envoi : details donne les bornes.',
    ],
    remedy: [
      'Choose an amount within the bounds, or several payouts. A customer may also pay through another operator, or in another way that the link offers.',
      'Choisissez un montant compris entre les bornes, ou faites plusieurs envois. Un client peut aussi passer par un autre opérateur, ou payer par un autre moyen que propose le lien.',
    ],
  },
  limit_exceeded: {
    status: 422,
    message: 'This is above a limit: of the account, of the recipient, or of the API key.',
    shown: [
      'This is above a limit of the account or of the recipient. Nothing was done.',
      'Ceci dépasse un plafond du compte ou du destinataire. Rien n’a été fait.',
    ],
    cause: [
      'The account has a limit for what it holds, for what comes in or goes out at once, in a day or in a month (GET /limits), its owners have one for payouts, or the API key one for what leaves by it in 24 hours: details says which, and what is left. recipient stands for a limit of the recipient, of which no figure is told.',
      'Le compte a un plafond pour ce qu’il détient, pour ce qui entre ou sort en une fois, par jour ou par mois (GET /limits), ses propriétaires en ont fixé un pour les envois, ou la clé API en a un pour ce qui sort par elle en 24 heures : details dit lequel, et ce qu’il en reste. recipient désigne un plafond du destinataire, dont aucun montant n’est donné.',
    ],
    remedy: [
      'Wait until resets_at, or have an owner or the operator of this service raise the limit; for recipient, send less or ask the recipient. With the limit of a key (key_daily), what left a day ago stops counting, and at resets_at all of it is free again: send at most remaining, wait, or use another key.',
      'Attendez resets_at, ou demandez à un propriétaire ou à l’opérateur de ce service de relever le plafond ; pour recipient, envoyez moins ou demandez au destinataire. Avec le plafond d’une clé (key_daily), ce qui est sorti il y a un jour ne compte plus, et à resets_at tout est de nouveau disponible : envoyez au plus remaining, attendez, ou utilisez une autre clé.',
    ],
  },
  name_mismatch: {
    status: 422,
    message:
      'The recipient has another name, or none that is known. Correct the name, or send name_check "warn".',
    cause: [
      'name_check is require, and the operator has another name, or tells none.',
      'name_check vaut require, et l’opérateur connaît un autre nom, ou n’en donne aucun.',
    ],
    remedy: [
      'Ask the recipient for the name of the account. Or send name_check "warn" with confirm, and look at the name before you confirm.',
      'Demandez au bénéficiaire le nom de son compte. Ou envoyez name_check "warn" avec confirm, et lisez le nom avant de confirmer.',
    ],
  },
  internal_error: {
    status: 500,
    retryable: true,
    message: 'Something went wrong on our side.',
    cause: [
      'A fault of this service; it was recorded under the request id.',
      'Une erreur de ce service ; elle a été enregistrée sous l’identifiant de la requête.',
    ],
    remedy: [
      `${REPEAT[0]} If it stays, give the operator the request id.`,
      `${REPEAT[1]} Si elle persiste, donnez cet identifiant à l’opérateur.`,
    ],
  },
  gateway_error: {
    status: 502,
    retryable: true,
    message: 'The payment gateway failed. Retry the request with the same Idempotency-Key.',
    cause: [
      'The payment gateway refused, or answered what cannot be used.',
      'Le prestataire de paiement a refusé, ou sa réponse est inutilisable.',
    ],
    remedy: [
      `${REPEAT[0]} If it stays, the operator can see what the gateway said.`,
      `${REPEAT[1]} Si l’erreur persiste, l’opérateur peut voir ce que le prestataire a répondu.`,
    ],
  },
  // The message claims nothing about what happened: that is said only where it is certain
  // (use-cases/requests/failures.ts).
  unavailable: {
    status: 503,
    retryable: true,
    message:
      'The service cannot do this right now. Wait as many seconds as Retry-After says and try again.',
    cause: [
      'The database or the workflows cannot be reached for a moment, or the service is at its limit.',
      'La base de données ou les workflows sont injoignables pour un moment, ou le service est à sa limite.',
    ],
    remedy: [
      `Wait for as many seconds as Retry-After says. ${REPEAT[0]}`,
      `Attendez le nombre de secondes indiqué par Retry-After. ${REPEAT[1]}`,
    ],
  },
  provider_unavailable: {
    status: 503,
    retryable: true,
    message:
      'The operator takes no payments or payouts now. Wait as many seconds as Retry-After says and try again.',
    cause: [
      'The operator takes no payments by phone now, or no operator can be reached. A payout is refused for that only where when_closed is refuse.',
      'L’opérateur n’accepte pas de paiements par téléphone en ce moment, ou aucun opérateur n’est joignable. Un envoi n’est refusé pour cette raison que si when_closed vaut refuse.',
    ],
    remedy: [
      'Try again after Retry-After. A customer may also pay through another operator; a payout without when_closed waits until its operator is open.',
      'Réessayez après Retry-After. Un client peut aussi passer par un autre opérateur ; un envoi sans when_closed attend que le sien soit ouvert.',
    ],
  },
  payouts_not_configured: {
    status: 503,
    message: 'No payout provider is configured for this environment.',
    shown: [
      'Payouts are not offered here yet. Ask the operator of this service.',
      'Les envois ne sont pas encore proposés ici. Adressez-vous à l’opérateur de ce service.',
    ],
    cause: [
      'The operator of this service has set up no provider of payouts in this environment.',
      'L’opérateur de ce service n’a configuré aucun prestataire d’envoi dans ce mode.',
    ],
    remedy: ['Ask the operator.', 'Adressez-vous à l’opérateur.'],
  },
  gateway_not_configured: {
    status: 503,
    message: 'No payment gateway is configured for this environment.',
    cause: [
      'The operator has set up no payment gateway for this environment.',
      'L’opérateur n’a configuré aucun prestataire de paiement pour ce mode.',
    ],
    remedy: [
      'Ask the operator, or use the sandbox.',
      'Adressez-vous à l’opérateur, ou utilisez le mode test.',
    ],
  },
  gateway_timeout: {
    status: 504,
    retryable: true,
    message:
      'The payment gateway did not answer in time. Retry the request with the same Idempotency-Key.',
    cause: [
      'The payment gateway took too long; whether it acted is not known.',
      'Le prestataire de paiement a mis trop de temps ; on ne sait pas s’il a agi.',
    ],
    remedy: REPEAT,
  },
} satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

const ROWS: Readonly<Record<ErrorCode, ErrorRow>> = ERRORS;

export function isRetryable(code: ErrorCode): boolean {
  return ROWS[code].retryable === true;
}

/** All codes with this status, in the order of the table. */
export function codesOfStatus(status: number): readonly ErrorCode[] {
  return ERROR_CODES.filter((code) => ROWS[code].status === status);
}

interface ErrorHelp {
  readonly cause: string;
  readonly remedy: string;
}

/** The page of errors, by code. */
export const ERROR_HELP = translate(
  Object.fromEntries(
    ERROR_CODES.map((code) => [code, { cause: ROWS[code].cause, remedy: ROWS[code].remedy }]),
  ) as Pairs<Readonly<Record<ErrorCode, ErrorHelp>>>,
);

/** The refusals that a page can show without adding figures or names, by code. */
export const SHOWN_REFUSALS = translate(
  Object.fromEntries(
    ERROR_CODES.flatMap((code) => (ROWS[code].shown ? [[code, ROWS[code].shown]] : [])),
  ) as Pairs<Readonly<Record<string, string>>>,
);
