// The page of errors for readers of French: the same rows as in error-help.ts.

import { MAX_WAITING_BATCHES } from './batch-limits';
import type { ErrorHelp } from './error-help';
import type { ErrorCode } from './errors';
import { MAX_REFUNDS } from './intent';
import { MAX_ENDPOINTS } from './webhook';

const REPEAT =
  'Répétez la requête avec la même Idempotency-Key : ce qui a été fait ne l’est qu’une fois, et vous recevez son résultat.';
const OWN_ID =
  'Vérifiez l’identifiant, et que la clé appartient au mode (test ou réel) dans lequel il a été créé.';

export const ERROR_HELP_FRENCH: Readonly<Record<ErrorCode, ErrorHelp>> = {
  unauthorized: {
    cause:
      'L’en-tête Authorization manque, ne commence pas par « Bearer », ou contient une clé qui n’existe pas, qui a été révoquée ou qui n’est pas autorisée depuis cette adresse.',
    remedy:
      'Envoyez « Authorization: Bearer CLÉ ». Le tableau de bord montre les clés actives et les adresses autorisées, et en crée de nouvelles.',
  },
  invalid_request: {
    cause:
      'Un champ, un paramètre ou un chemin n’a pas la forme que décrit la documentation de l’API.',
    remedy:
      'Lisez param et details : ils nomment chaque champ et ce qui est attendu. Corrigez, puis renvoyez.',
  },
  invalid_json: {
    cause:
      'Le corps n’est pas du JSON valide : il manque une virgule, un guillemet ou la fin, ou un nom y figure deux fois.',
    remedy: 'Laissez une bibliothèque JSON écrire le corps, et envoyez-le en UTF-8.',
  },
  insufficient_funds: {
    cause: 'Le portefeuille dans cette devise contient moins que le montant demandé.',
    remedy:
      'Consultez GET /wallets, envoyez moins, ou attendez une rentrée d’argent ; utilisez ensuite une nouvelle Idempotency-Key, car cette réponse est conservée pour l’ancienne.',
  },
  recipient_not_found: {
    cause: 'Aucun compte ne porte le nom d’utilisateur indiqué dans to_username.',
    remedy:
      'Demandez son nom d’utilisateur au bénéficiaire ; les lettres sont minuscules. Utilisez ensuite une nouvelle Idempotency-Key.',
  },
  rate_limited: {
    cause:
      'La clé a fait pendant cette minute toutes les requêtes auxquelles elle a droit ; les écritures ont leur propre limite, plus basse.',
    remedy:
      'Attendez le nombre de secondes indiqué par Retry-After. X-RateLimit-Remaining annonce ce qui reste. Répartissez les requêtes, ou demandez une limite plus haute à l’opérateur.',
  },
  invalid_idempotency_key: {
    cause:
      'L’en-tête Idempotency-Key est vide, dépasse 255 caractères, contient autre chose que de l’ASCII imprimable, ou a été envoyé deux fois (une virgule suivie d’une espace compte comme une deuxième fois).',
    remedy:
      'Utilisez un UUID aléatoire pour chaque opération, et le même quand vous la répétez. Vérifiez que votre client HTTP n’ajoute pas sa propre clé.',
  },
  forbidden: {
    cause: 'La clé n’a pas le droit (scope) qu’il faut, ou l’opération est fermée pour ce compte.',
    remedy:
      'Utilisez une clé qui a le scope indiqué dans le message, ou ajoutez-le à la clé dans le tableau de bord.',
  },
  account_frozen: {
    cause: 'L’opérateur de ce service a gelé le compte.',
    remedy:
      'Adressez-vous à l’opérateur. Une fois le compte dégelé, répétez la requête avec la même Idempotency-Key.',
  },
  kyc_required: {
    cause:
      'Les clés de production, liens de paiement, transferts, envois groupés, remboursements et annulations portent sur de l’argent réel, et la vérification d’identité de ce compte n’est pas approuvée, ou ne l’est plus.',
    remedy:
      'Envoyez la vérification d’identité dans le tableau de bord, sous Profil, puis répétez la requête avec la même Idempotency-Key. D’ici là, utilisez une clé de test. Ce qui arrive entre-temps attend dans le portefeuille.',
  },
  not_found: {
    cause: 'Aucune route de l’API n’a ce chemin.',
    remedy: 'Comparez-le avec /openapi.json ; il commence par la version.',
  },
  transaction_not_found: {
    cause:
      'Aucune transaction de ce compte et de ce mode ne porte cet identifiant ou cette référence.',
    remedy: OWN_ID,
  },
  statement_not_found: {
    cause:
      'Le chemin ne finit pas par une devise et un mois, comme XOF/2026-11, ou ce mois précède la création du compte ou est encore à venir.',
    remedy: 'GET /statements énumère ceux qui existent.',
  },
  payment_intent_not_found: {
    cause: 'Aucun lien de paiement de ce compte et de ce mode ne porte cet identifiant.',
    remedy: OWN_ID,
  },
  payment_link_not_found: {
    cause:
      'Aucun lien réutilisable de ce compte et de ce mode ne porte cet identifiant ou ce code.',
    remedy: OWN_ID,
  },
  idempotency_key_not_found: {
    cause:
      'Aucune requête de ce compte et de ce mode avec cette clé et cette opération n’a eu d’effet. Les précédentes sont terminées : aucune ne peut plus en avoir.',
    remedy:
      'Envoyez la requête, avec la même clé ou une nouvelle. Vérifiez l’opération, et que la clé d’API appartient au bon mode (test ou réel).',
  },
  transfer_not_found: {
    cause:
      'Aucun transfert de ce compte et de ce mode ne porte cette référence ou cette Idempotency-Key.',
    remedy: 'Vérifiez les deux. Un transfert refusé n’a pas de référence.',
  },
  transfer_batch_not_found: {
    cause: 'Aucun envoi groupé de ce compte et de ce mode ne porte cet identifiant.',
    remedy: OWN_ID,
  },
  refund_not_found: {
    cause: 'Aucun remboursement de ce compte et de ce mode ne porte cet identifiant.',
    remedy: OWN_ID,
  },
  dispute_not_found: {
    cause: 'Aucun litige de ce compte et de ce mode ne porte cet identifiant.',
    remedy: OWN_ID,
  },
  attempt_not_found: {
    cause: 'Ce lien de paiement n’a pas de tentative qui porte cet identifiant.',
    remedy: 'Vérifiez l’identifiant, et que la tentative est bien celle de ce lien.',
  },
  payment_intent_not_payable: {
    cause: 'Le lien est payé, annulé ou expiré, ou son paiement est en cours.',
    remedy: 'Lisez son état. Pour un autre paiement, créez un autre lien.',
  },
  attempt_in_progress: {
    cause: 'Un lien a une seule tentative à la fois, et la dernière attend son client.',
    remedy:
      'Lisez les tentatives du lien. Celle qui attend se termine quand le client confirme, refuse ou laisse passer le délai (`expires_at`) ; une autre peut alors commencer.',
  },
  otp_not_expected: {
    cause:
      'La tentative est terminée, son opérateur ne demande pas de code à usage unique, ou elle a déjà son code.',
    remedy: 'Lisez la tentative. Après un code faux, commencez-en une autre.',
  },
  payout_not_found: {
    cause:
      'Aucun versement de ce compte et de ce mode ne porte cet identifiant ou cette référence.',
    remedy: OWN_ID,
  },
  payout_batch_not_found: {
    cause: 'Ce compte n’a pas, dans ce mode, de versements groupés qui portent cet identifiant.',
    remedy: OWN_ID,
  },
  payout_batch_not_cancelable: {
    cause: 'Tous ces versements sont déjà demandés, ou terminés.',
    remedy:
      'Lisez ses versements. Un versement que son opérateur n’a pas encore envoyé peut être annulé seul.',
  },
  payout_batch_not_confirmable: {
    cause:
      'Les destinations sont en cours de vérification, ou les versements groupés attendent une approbation, sont partis, sont terminés ou ont attendu trop longtemps.',
    remedy:
      'Lisez leur statut. S’ils ont été annulés, demandez-les à nouveau avec une nouvelle Idempotency-Key.',
  },
  payout_batch_not_approvable: {
    cause:
      'Les versements groupés n’attendent pas d’approbation, l’ont déjà, sont terminés ou ont attendu trop longtemps.',
    remedy: 'Lisez leur statut.',
  },
  approval_by_creator: {
    cause: 'La clé, ou la personne connectée, est celle qui a demandé le versement.',
    remedy: 'Demandez à un autre propriétaire du compte de l’approuver, ou annulez-le.',
  },
  payout_not_cancelable: {
    cause: 'L’opérateur a déjà reçu l’ordre d’envoyer le versement, ou le versement est terminé.',
    remedy:
      'Lisez son statut. Tant que son issue est inconnue, l’opérateur est interrogé : attendez payout.succeeded ou payout.failed.',
  },
  payout_not_confirmable: {
    cause:
      'Le versement attend une approbation, est parti, est terminé ou a attendu trop longtemps.',
    remedy:
      'Lisez son statut. S’il a été annulé, demandez un nouveau versement avec une nouvelle Idempotency-Key.',
  },
  payout_not_approvable: {
    cause:
      'Le versement n’attend pas d’approbation, l’a déjà, est terminé ou a attendu trop longtemps.',
    remedy: 'Lisez son statut.',
  },
  unsupported_destination: {
    cause:
      'Aucun opérateur de ce service ne verse dans cette devise à ce téléphone ou à ce compte.',
    remedy:
      'Versez des XOF aux téléphones des pays que l’opérateur dessert. Vérifiez l’indicatif du pays.',
  },
  amount_out_of_bounds: {
    cause:
      'Le montant est trop faible ou trop élevé pour l’opérateur, en paiement par téléphone comme en versement : details donne les bornes.',
    remedy:
      'Choisissez un montant compris entre les bornes, ou faites plusieurs versements. Un client peut aussi passer par un autre opérateur, ou payer par un autre moyen que propose le lien.',
  },
  limit_exceeded: {
    cause:
      'Le compte a un plafond par versement, par jour ou par mois, ou la clé API en a un pour ce qui sort par elle en 24 heures : details dit lequel, et ce qu’il en reste.',
    remedy:
      'Attendez resets_at, ou demandez à un propriétaire ou à l’opérateur de ce service de relever le plafond. Avec le plafond d’une clé (key_daily), ce qui est sorti il y a un jour ne compte plus, et à resets_at tout est de nouveau disponible : envoyez au plus remaining, attendez, ou utilisez une autre clé.',
  },
  name_mismatch: {
    cause: 'name_check vaut require, et l’opérateur connaît un autre nom, ou n’en donne aucun.',
    remedy:
      'Demandez au bénéficiaire le nom de son compte. Ou envoyez name_check "warn" avec confirm, et lisez le nom avant de confirmer.',
  },
  provider_unavailable: {
    cause:
      'L’opérateur n’accepte pas de paiements par téléphone en ce moment, ou aucun opérateur n’est joignable. Un versement n’est refusé pour cette raison que si when_closed vaut refuse.',
    remedy:
      'Réessayez après Retry-After. Un client peut aussi passer par un autre opérateur ; un versement sans when_closed attend que le sien soit ouvert.',
  },
  payouts_not_configured: {
    cause: 'L’opérateur de ce service n’a configuré aucun prestataire de versement dans ce mode.',
    remedy: 'Adressez-vous à l’opérateur.',
  },
  webhook_endpoint_not_found: {
    cause: 'Cet endpoint n’existe pas dans ce compte et ce mode, ou il a été supprimé.',
    remedy: 'Listez les endpoints avec la même clé.',
  },
  event_not_found: {
    cause: 'Aucun événement de ce compte et de ce mode ne porte cet identifiant.',
    remedy:
      'Utilisez l’identifiant du corps d’un webhook ou de GET /events, avec une clé du même mode.',
  },
  webhook_delivery_not_found: {
    cause: 'Aucune livraison de ce compte et de ce mode ne porte cet identifiant.',
    remedy: 'Listez les livraisons avec la même clé.',
  },
  webhook_resend_not_found: {
    cause: 'Aucun renvoi de ce compte et de ce mode ne porte cet identifiant.',
    remedy: 'Utilisez l’identifiant qu’a retourné la demande de renvoi.',
  },
  method_not_allowed: {
    cause: 'Le chemin existe, mais pas avec cette méthode HTTP.',
    remedy: 'Utilisez une méthode que nomme l’en-tête Allow.',
  },
  idempotency_in_progress: {
    cause: 'Une autre requête avec cette Idempotency-Key est en cours en ce moment même.',
    remedy: 'Attendez une seconde et répétez-la : vous recevez le résultat de la première.',
  },
  intent_not_cancelable: {
    cause: 'Le paiement a réussi, échoué ou expiré, ou il est en train d’être fait.',
    remedy:
      'Lisez le statut du lien de paiement. Un paiement arrivé se rend par un remboursement ou un transfert.',
  },
  batch_not_cancelable: {
    cause:
      'Tous les transferts de l’envoi groupé sont terminés, ou il a été refusé dans son ensemble.',
    remedy:
      'Lisez son statut et ses transferts. Ce qui a été envoyé se rend par un transfert en retour.',
  },
  batch_limit: {
    cause: `Trop d’envois groupés d’un compte attendent dans un mode (${MAX_WAITING_BATCHES}) ; ils sont exécutés l’un après l’autre.`,
    remedy:
      'Attendez qu’un envoi soit terminé, ou annulez-en un ; répétez ensuite la requête avec la même Idempotency-Key. Mettez plus de transferts dans chaque envoi.',
  },
  batch_refused: {
    cause: 'Un transfert d’un envoi groupé atomique ne serait pas exécuté, pour une autre raison.',
    remedy:
      'Listez les transferts échoués de l’envoi : ceux qui portent un autre code en sont la raison. Corrigez-les, et commandez un nouvel envoi.',
  },
  payment_intent_not_refundable: {
    cause: 'Le lien n’a pas été payé : son statut n’est pas succeeded.',
    remedy:
      'Attendez payment.succeeded, ou annulez le lien. L’argent arrivé pour un lien terminé est chez l’opérateur.',
  },
  too_many_refunds: {
    cause: `Un paiement a au plus ${MAX_REFUNDS} remboursements ; ceux qui ont échoué comptent.`,
    remedy:
      'Rendez le reste hors du service. Remboursez des montants plus grands, pour que peu suffisent.',
  },
  webhook_endpoint_disabled: {
    cause: 'Vous avez désactivé l’endpoint, ou il a échoué pendant des jours, ou il a répondu 410.',
    remedy: 'Réactivez-le (status: enabled) ; ce qui était retenu est alors envoyé.',
  },
  webhook_resend_running: {
    cause:
      'Les livraisons d’une période sont en train d’être remises en file pour cet endpoint ; un renvoi à la fois.',
    remedy:
      'Lisez GET /webhook-resends/{id} avec l’identifiant du message jusqu’à la fin du renvoi. Si c’est votre propre demande dont la réponse s’est perdue, il n’y a rien à répéter.',
  },
  webhook_endpoint_limit: {
    cause: `Un mode d’un compte a au plus ${MAX_ENDPOINTS} endpoints.`,
    remedy:
      'Supprimez-en un qui ne sert plus, ou laissez un seul récepteur transmettre les événements.',
  },
  malformed_request: {
    cause: 'Ce qui est arrivé ne suit pas HTTP/1.1.',
    remedy:
      'Utilisez une bibliothèque HTTP ; regardez ce que fait un proxy placé entre vous et le service.',
  },
  request_timeout: {
    cause: 'La requête n’est pas arrivée entière dans le délai.',
    remedy: 'Renvoyez-la par une meilleure connexion. Rien n’a été modifié.',
  },
  headers_too_large: {
    cause: 'Les en-têtes dépassent ensemble 16 Kio.',
    remedy: 'Envoyez des en-têtes moins nombreux ou plus courts ; les cookies sont inutiles.',
  },
  payload_too_large: {
    cause: 'Le corps dépasse 64 Kio.',
    remedy:
      'Raccourcissez-le : les métadonnées et les descriptions ont des limites bien inférieures.',
  },
  unsupported_media_type: {
    cause: 'Le corps n’est pas du JSON, a un autre encodage que l’UTF-8, ou est compressé.',
    remedy: 'Envoyez « Content-Type: application/json », sans Content-Encoding.',
  },
  idempotency_key_reuse: {
    cause:
      'Cette Idempotency-Key appartient à une requête précédente dont le corps était différent.',
    remedy:
      'Une nouvelle opération exige une nouvelle clé ; une répétition exige exactement le même corps. La réponse nomme ce qui diffère.',
  },
  refund_exceeds_payment: {
    cause: 'Le client recevrait plus que ce qu’il a payé ; les remboursements en attente comptent.',
    remedy:
      'Lisez refunded_amount du lien de paiement ; remboursez au plus le reste, ou omettez amount pour tout rembourser.',
  },
  reversal_exceeds_transfer: {
    cause: 'L’expéditeur recevrait plus que ce qu’il a envoyé ; ce qui a déjà été rendu compte.',
    remedy:
      'Lisez reversed_amount du transfert ; rendez au plus le reste, ou omettez amount pour tout rendre.',
  },
  internal_error: {
    cause: 'Une erreur de ce service ; elle a été enregistrée sous l’identifiant de la requête.',
    remedy: `${REPEAT} Si elle persiste, donnez cet identifiant à l’opérateur.`,
  },
  gateway_error: {
    cause: 'Le prestataire de paiement a refusé, ou sa réponse est inutilisable.',
    remedy: `${REPEAT} Si l’erreur persiste, l’opérateur peut voir ce que le prestataire a répondu.`,
  },
  unavailable: {
    cause:
      'La base de données ou les workflows sont injoignables pour un moment, ou le service est à sa limite.',
    remedy: `Attendez le nombre de secondes indiqué par Retry-After. ${REPEAT}`,
  },
  gateway_not_configured: {
    cause: 'L’opérateur n’a configuré aucun prestataire de paiement pour ce mode.',
    remedy: 'Adressez-vous à l’opérateur, ou utilisez le mode test.',
  },
  gateway_timeout: {
    cause: 'Le prestataire de paiement a mis trop de temps ; on ne sait pas s’il a agi.',
    remedy: REPEAT,
  },
};
