import { MAX_COUNT } from '../../db/webhooks/webhook-health';
import { counted, formatCount, plural, translate, type Pairs } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { AttemptOutcome, DeliveryStatus } from '../../domain/webhook';
import type { RefusedUrl } from '../../use-cases/webhook-endpoints';
import type { OfferedFault } from './faults';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'When a payment ends, the service sends an event to your endpoints, signed with their secret, and again until it arrives.',
    'Quand un paiement se termine, le service envoie un événement à vos endpoints, signé avec leur secret, et recommence jusqu’à ce qu’il arrive.',
  ],
  add: ['Add an endpoint', 'Ajouter un endpoint'],
  added: [
    'The endpoint is there. Its secret signs every webhook: give it to your receiver.',
    'L’endpoint est créé. Son secret signe chaque webhook : configurez-le dans votre récepteur.',
  ],
  limit: [
    (count: number) =>
      `An environment has at most ${counted('en', count, 'endpoint', 'endpoints')}. Delete one first.`,
    (count) =>
      `Chaque mode compte au plus ${counted('fr', count, 'endpoint', 'endpoints')}. Supprimez-en un d’abord.`,
  ],
  secret: ['Signing secret', 'Secret de signature'],
  endpoints: ['Endpoints', 'Endpoints'],
  endpoint: ['Endpoint', 'Endpoint'],
  url_hint: [
    'Begins with https:// and leads to a public address. A URL with two endpoints gets every event twice.',
    'Commence par https:// et mène à une adresse publique. Une URL déclarée deux fois reçoit chaque événement deux fois.',
  ],
  url_faults: {
    too_long: ['The URL is too long.', 'L’URL est trop longue.'],
    incomplete: [
      'Write the complete URL: https://example.com/path.',
      'Écrivez l’URL complète : https://example.com/chemin.',
    ],
    localhost: [
      'Name this machine as 127.0.0.1, not as localhost.',
      'Nommez cette machine 127.0.0.1, et non localhost.',
    ],
    not_https: ['The URL must begin with https://.', 'L’URL doit commencer par https://.'],
    credentials: [
      'The URL must not contain a user name or a password.',
      'L’URL ne doit contenir ni nom d’utilisateur ni mot de passe.',
    ],
    fragment: [
      'The URL must not contain a fragment (#).',
      'L’URL ne doit pas contenir de fragment (#).',
    ],
    port: [
      'This port is not allowed; use 443, the port of https.',
      'Ce port n’est pas autorisé ; utilisez 443, le port de https.',
    ],
    own_host: [
      'The URL must not lead to this service itself.',
      'L’URL ne doit pas mener à ce service lui-même.',
    ],
    not_public: [
      'The URL must not lead to an address that is not public.',
      'L’URL ne doit pas mener à une adresse non publique.',
    ],
    inner_name: [
      'The URL must not lead to a name of an inner network.',
      'L’URL ne doit pas mener à un nom de réseau interne.',
    ],
    short_name: [
      'The host must be a full name, with a dot.',
      'L’hôte doit être un nom complet, avec un point.',
    ],
    not_dns: ['The host is not a name that can exist.', 'Ce nom d’hôte n’est pas valable.'],
  } satisfies Pairs<Readonly<Record<RefusedUrl['reason'], string>>>,
  types: ['Event types', 'Types d’événements'],
  all_types: ['All types', 'Tous les types'],
  description_hint: ['Optional. Only you see it.', 'Facultatif. Vous seul la voyez.'],
  rate: ['At most so many a second', 'Nombre maximal par seconde'],
  rate_hint: [
    'Optional: 1 to 10,000. Without it they are sent as they come.',
    'Facultatif : de 1 à 10 000. Sans limite, ils partent au fur et à mesure.',
  ],
  rate_limit: ['Rate limit', 'Débit'],
  unlimited: ['no limit', 'sans limite'],
  a_second: [
    (count: number) => `${formatCount('en', count)} a second`,
    (count) => `${formatCount('fr', count)} par seconde`,
  ],
  status: ['Status', 'Statut'],
  health: ['Health', 'État'],
  enabled: ['Enabled', 'Activé'],
  disabled_because: {
    merchant: ['disabled by you', 'désactivé par vous'],
    gone: ['disabled, because it answered 410 (gone)', 'désactivé, car il a répondu 410 (disparu)'],
    failing: [
      'disabled, because nothing arrived for days',
      'désactivé, car rien n’arrivait depuis des jours',
    ],
  },
  failing_since: ['failing since', 'en échec depuis le'],
  paused_until: ['paused until', 'en pause jusqu’au'],
  pending: [
    (count: number) => `${orMoreEn(count)} waiting`,
    (count) => `${orMoreFr(count)} en attente`,
  ],
  held: [
    (count: number) => `${orMoreEn(count)} held until it is enabled`,
    (count) =>
      `${orMoreFr(count)} ${plural('fr', count, 'retenu', 'retenus')} jusqu’à l’activation`,
  ],
  exhausted: [
    (count: number) => `${orMoreEn(count)} given up`,
    (count) => `${orMoreFr(count)} ${plural('fr', count, 'abandonné', 'abandonnés')}`,
  ],
  recent: [
    (delivered: number, all: number) =>
      `${formatCount('en', delivered)} of ${formatCount('en', all)} arrived in the last day`,
    (delivered, all) =>
      `${formatCount('fr', delivered)} sur ${formatCount('fr', all)} ${plural('fr', delivered, 'arrivé', 'arrivés')} ces dernières 24 heures`,
  ],
  recent_last: [
    (delivered: number, all: number) =>
      `${formatCount('en', delivered)} of the last ${formatCount('en', all)} arrived`,
    (delivered, all) =>
      `${formatCount('fr', delivered)} sur ${formatCount('fr', all)} ${plural('fr', delivered, 'arrivé', 'arrivés')}, parmi les plus récents`,
  ],
  recent_none: ['Nothing sent in the last day', 'Aucun envoi ces dernières 24 heures'],
  last_failure: ['Last failure:', 'Dernier échec :'],
  outcomes: {
    delivered: ['arrived', 'arrivé'],
    refused: ['refused by the receiver', 'refusé par le récepteur'],
    timeout: ['no answer in time', 'pas de réponse à temps'],
    dns_failed: ['the host’s name was not found', 'nom d’hôte introuvable'],
    connection_failed: ['no connection', 'connexion impossible'],
    tls_failed: ['no valid TLS certificate', 'certificat TLS non valable'],
    invalid_response: ['the answer was not valid HTTP', 'réponse HTTP non valable'],
    blocked: ['the address is not allowed', 'adresse non autorisée'],
  } satisfies Pairs<Readonly<Record<AttemptOutcome, string>>>,
  answered: [
    (status: number) => `the receiver answered ${status}`,
    (status) => `le récepteur a répondu ${status}`,
  ],
  edit_title: ['Edit this endpoint', 'Modifier cet endpoint'],
  saved: ['The endpoint is changed.', 'L’endpoint est modifié.'],
  enable: ['Enable', 'Activer'],
  now_enabled: [
    'The endpoint is enabled. What was held is on its way.',
    'L’endpoint est activé. Ce qui était retenu est en route.',
  ],
  now_disabled: [
    'The endpoint is disabled. New events are held until you enable it.',
    'L’endpoint est désactivé. Les nouveaux événements sont retenus jusqu’à ce que vous l’activiez.',
  ],
  remove: ['Delete', 'Supprimer'],
  remove_title: ['Delete this endpoint', 'Supprimer cet endpoint'],
  remove_text: [
    'Nothing is sent to it any more, and what is waiting is discarded. This cannot be undone. To stop for a while, disable it instead.',
    'Plus rien ne lui est envoyé, et ce qui attend est abandonné. C’est définitif. Pour une simple pause, désactivez-le.',
  ],
  remove_now: ['Delete now', 'Supprimer maintenant'],
  removed: ['The endpoint is deleted.', 'L’endpoint est supprimé.'],
  rotate: ['New secret', 'Nouveau secret'],
  rotate_title: ['Create a new secret', 'Créer un nouveau secret'],
  rotate_text: [
    'During the overlap both secrets sign: webhook-signature has both signatures, x-service-signature stays with the old secret, and x-service-signature-next has the new one. Creating another secret during the overlap replaces the new one: it then signs nothing any more.',
    'Pendant la période de transition, les deux secrets signent : webhook-signature porte les deux signatures, x-service-signature garde l’ancien secret et x-service-signature-next porte le nouveau. Si vous créez encore un secret pendant cette période, il remplace le nouveau, qui ne signe alors plus rien.',
  ],
  overlap: ['The old secret signs for another', 'L’ancien secret signe encore pendant'],
  overlaps: {
    '0': ['not at all: it ends now', 'pas du tout : il cesse maintenant'],
    '3600': ['1 hour', '1 heure'],
    '86400': ['24 hours', '24 heures'],
    '604800': ['7 days', '7 jours'],
  },
  rotated: ['The new secret is created.', 'Le nouveau secret est créé.'],
  old_secret_until: ['The old secret signs until', 'L’ancien secret signe jusqu’au'],
  test: ['Send a test event', 'Envoyer un événement d’essai'],
  test_type: ['Test event', 'Événement d’essai'],
  tested: ['The test event is on its way.', 'L’événement d’essai est en route.'],
  is_disabled: [
    'The endpoint is disabled. Enable it first.',
    'L’endpoint est désactivé. Activez-le d’abord.',
  ],
  faults: ['Faults', 'Incidents provoqués'],
  faults_lead: [
    'Let the next attempts to this endpoint go wrong, to see what your receiver makes of it. They are used up in their order.',
    'Provoquez un incident sur les prochaines tentatives vers cet endpoint, pour voir comment votre récepteur réagit. Les incidents sont utilisés dans leur ordre.',
  ],
  fault: ['Fault', 'Incident'],
  fault_names: {
    duplicate: ['The event is sent twice', 'L’événement est envoyé deux fois'],
    swap: ['The event goes after the next one', 'L’événement part après le suivant'],
    'bad-signature': ['The signature is wrong', 'La signature est fausse'],
    'late=3600': ['The event is sent an hour late', 'L’événement part avec une heure de retard'],
    'late=86400': ['The event is sent a day late', 'L’événement part avec un jour de retard'],
  } satisfies Pairs<Readonly<Record<OfferedFault, string>>>,
  fault_times: ['For how many attempts', 'Pour combien de tentatives'],
  order_fault: ['Order the fault', 'Provoquer l’incident'],
  fault_ordered: ['The fault is ordered.', 'L’incident est prévu.'],
  attempts_left: [
    (count: number) => `for ${counted('en', count, 'attempt', 'attempts')}`,
    (count) => `pour ${counted('fr', count, 'tentative', 'tentatives')}`,
  ],
  too_many_faults: [
    (count: number) =>
      `An account has at most ${counted('en', count, 'fault', 'faults')}. Delete some first.`,
    (count) =>
      `Un compte a au plus ${counted('fr', count, 'incident', 'incidents')}. Supprimez-en d’abord.`,
  ],
  delete_faults: ['Delete the faults', 'Supprimer les incidents'],
  faults_deleted: ['The faults are deleted.', 'Les incidents sont supprimés.'],
  resend_range: ['Send again…', 'Renvoyer…'],
  resend_title: ['Send deliveries again', 'Renvoyer une série d’envois'],
  resend_lead: [
    'All deliveries of a period that match are sent again, oldest first.',
    'Tous les envois de la période qui correspondent sont renvoyés, du plus ancien au plus récent.',
  ],
  statuses: ['Those that are', 'Ceux dont le statut est'],
  from: ['Created from (UTC)', 'Créés à partir du (UTC)'],
  from_local: ['Created from', 'Créés à partir du'],
  to: ['Created before (UTC)', 'Créés avant le (UTC)'],
  to_local: ['Created before', 'Créés avant le'],
  empty_range: ['The end must be after the beginning.', 'La fin doit suivre le début.'],
  resend_now: ['Send again', 'Renvoyer'],
  resend_begun: ['The resend has begun.', 'Le renvoi a commencé.'],
  resend_waits: [
    'A resend is under way. Wait until it is done.',
    'Un renvoi est en cours. Attendez qu’il soit terminé.',
  ],
  last_resend: ['Last resend', 'Dernier renvoi'],
  resend_running: [
    (count: number) => `running, ${formatCount('en', count)} queued so far`,
    (count) => `en cours, ${formatCount('fr', count)} remis en file`,
  ],
  resend_done: [
    (count: number) => `done, ${formatCount('en', count)} queued`,
    (count) => `terminé, ${formatCount('fr', count)} remis en file`,
  ],
  deliveries: ['Deliveries', 'Envois'],
  delivery: ['Delivery', 'Envoi'],
  delivery_statuses: {
    pending: ['Waiting', 'En attente'],
    held: ['Held', 'Retenu'],
    delivered: ['Arrived', 'Arrivé'],
    exhausted: ['Given up', 'Abandonné'],
    discarded: ['Discarded', 'Supprimé'],
  } satisfies Pairs<Readonly<Record<DeliveryStatus, string>>>,
  any_status: ['Any', 'Tous'],
  filter: ['Show', 'Afficher'],
  event: ['Event', 'Événement'],
  attempts: ['Attempts', 'Tentatives'],
  next_attempt: ['Next attempt', 'Prochaine tentative'],
  delivered_at: ['Arrived', 'Arrivée'],
  resent: ['The delivery is on its way again.', 'L’envoi est reparti.'],
  gone: ['Its endpoint is deleted.', 'Son endpoint est supprimé.'],
  attempt: [(number: number) => `Attempt ${number}`, (number) => `Tentative ${number}`],
  no_attempts: ['Not tried yet.', 'Pas encore tenté.'],
  attempts_dropped: [
    (made: number) =>
      `Tried ${plural('en', made, 'once', `${formatCount('en', made)} times`)}. What was answered is no longer kept.`,
    (made) => `Tenté ${formatCount('fr', made)} fois. Les réponses ne sont plus conservées.`,
  ],
  older_attempts: [
    'Older attempts are in the API.',
    'Les tentatives plus anciennes sont dans l’API.',
  ],
  trigger: ['Why', 'Motif'],
  triggers: {
    automatic: ['by the schedule', 'envoi automatique'],
    resend: ['sent again by hand', 'renvoyé à la main'],
  },
  at: ['Time', 'Heure'],
  no_response: ['No response text.', 'Réponse sans texte.'],
  truncated: ['The rest was cut off.', 'Le reste a été coupé.'],
  body: ['Body that is sent', 'Corps envoyé'],
  test_event: ['test event', 'événement d’essai'],
  sent_to: ['Sent to', 'Destination'],
});

function orMoreEn(count: number): string {
  return formatCount('en', count) + (count < MAX_COUNT ? '' : ' or more');
}

function orMoreFr(count: number): string {
  return formatCount('fr', count) + (count < MAX_COUNT ? '' : ' ou plus');
}

export type WebhookWords = (typeof WORDS)['en'];
