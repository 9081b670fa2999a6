import { counted, formatCount, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'Your programs call the API with a key. A key belongs to one environment, and is shown only when it is created.',
    'Vos programmes appellent l’API avec une clé. Une clé ne sert que dans un mode, test ou réel, et n’est affichée qu’à sa création.',
  ],
  needs_check: [
    'Live keys need an approved identity check, because they move real money. Until then a test key does everything in the sandbox.',
    'Les clés de production exigent une vérification d’identité approuvée, car elles déplacent de l’argent réel. D’ici là, une clé de test permet de tout essayer.',
  ],
  to_profile: ['To the identity check', 'Vers la vérification d’identité'],
  make: ['Create a key', 'Créer une clé'],
  made: ['The key is created.', 'La clé est créée.'],
  rotated: [
    'The new key is created, and the old one is revoked.',
    'La nouvelle clé est créée, et l’ancienne est révoquée.',
  ],
  rotated_later: [
    'The new key is created. The list shows until when the old one is valid.',
    'La nouvelle clé est créée. La liste indique jusqu’à quand l’ancienne reste valable.',
  ],
  valid_until: ['valid until', 'valable jusqu’au'],
  revoked_notice: [
    (name: string) => `The key ${name} is revoked.`,
    (name) => `La clé ${name} est révoquée.`,
  ],
  new_key: ['Your new key', 'Votre nouvelle clé'],
  name_hint: [
    'Where it is used, such as “shop server”. Only you see it.',
    'Où elle sert, par exemple « serveur de la boutique ». Vous seul voyez ce nom.',
  ],
  scopes: ['What the key may do', 'Ce que la clé peut faire'],
  no_scope: [
    'Choose at least one thing that the key may do.',
    'Choisissez au moins une chose que la clé peut faire.',
  ],
  no_money: [
    'In your role you send no live money, and neither does a key that you make.',
    'Votre rôle n’envoie pas d’argent réel, et une clé que vous créez non plus.',
  ],
  all_scopes: ['Everything', 'Tout'],
  default_scopes: ['Everything but payouts', 'Tout sauf les envois'],
  expires: ['Expires', 'Expiration'],
  expires_hint: [
    'From then on the key is refused. The owners get a mail 14 days and 3 days before, and when it has expired.',
    'Ensuite, la clé est refusée. Les propriétaires reçoivent un e-mail 14 jours et 3 jours avant, puis à l’expiration.',
  ],
  expires_at: [
    (time: string | null) => (time === null ? 'Never' : `On ${time}`),
    (time) => (time === null ? 'Jamais' : `Le ${time}`),
  ],
  in_days: [
    (days: number) => `In ${counted('en', days, 'day', 'days')}`,
    (days) => `Dans ${counted('fr', days, 'jour', 'jours')}`,
  ],
  daily_limit: ['At most in 24 hours', 'Au plus en 24 heures'],
  daily_limit_hint: [
    'Optional: how much may leave the wallets by this key, with fees. With an amount for one currency, nothing leaves of those left empty. Payments that come in do not count.',
    'Facultatif : combien peut sortir des portefeuilles avec cette clé, frais compris. Dès qu’une devise a un montant, rien ne sort de celles laissées vides. L’argent reçu ne compte pas.',
  ],
  per_day: [
    (amount: string) => `${amount} a day at most`,
    (amount) => `${amount} par jour au plus`,
  ],
  allowed_ips: ['Allowed addresses', 'Adresses autorisées'],
  allowed_ips_hint: [
    'Optional: addresses or ranges such as 203.0.113.7 or 203.0.113.0/24, one a line. From elsewhere the key is refused.',
    'Facultatif : des adresses ou plages comme 203.0.113.7 ou 203.0.113.0/24, une par ligne. Depuis toute autre adresse, la clé est refusée.',
  ],
  invalid_allowed_ips: [
    'Write addresses or ranges such as 203.0.113.7 or 203.0.113.0/24, one a line, 32 at most.',
    'Écrivez des adresses ou plages comme 203.0.113.7 ou 203.0.113.0/24, une par ligne, 32 au plus.',
  ],
  addresses_required: [
    'A live key that pays out needs the addresses from which it is used: the operator of this service requires it.',
    'Une clé réelle qui fait des envois a besoin des adresses d’où elle sert : l’opérateur de ce service l’exige.',
  ],
  too_many_keys: [
    (most: number) =>
      `An account has at most ${counted('en', most, 'active key', 'active keys')}, test and live together. Revoke one that you no longer use.`,
    (most) =>
      `Un compte a au plus ${counted('fr', most, 'clé active', 'clés actives')}, test et réel ensemble. Révoquez-en une qui ne sert plus.`,
  ],
  no_name: [
    'Give the key a name, so that you can tell your keys apart.',
    'Donnez un nom à la clé, pour distinguer vos clés.',
  ],
  active: ['Active keys', 'Clés actives'],
  revoked: ['Revoked and expired keys', 'Clés révoquées ou expirées'],
  show_revoked: ['Revoked keys', 'Clés révoquées'],
  show_active: ['Active keys', 'Clés actives'],
  which: ['Which keys', 'Quelles clés'],
  made_by: ['Created by', 'Créée par'],
  made_by_operators: ['The operator of this service', 'L’opérateur de ce service'],
  last_used: ['Last used', 'Dernier usage'],
  never: ['Never', 'Jamais'],
  long_ago: [
    (days: number) => `Not in the last ${counted('en', days, 'day', 'days')}`,
    (days) => `Pas depuis ${counted('fr', days, 'jour', 'jours')}`,
  ],
  from_address: [(ip: string) => `from ${ip}`, (ip) => `depuis ${ip}`],
  limits: ['Limits', 'Limites'],
  per_minute: [
    (requests: number) => `${counted('en', requests, 'request', 'requests')} a minute`,
    (requests) => `${counted('fr', requests, 'requête', 'requêtes')} par minute`,
  ],
  per_minute_writes: [
    (writes: number) => `${counted('en', writes, 'write', 'writes')} among them`,
    (writes) => `dont ${formatCount('fr', writes)} en écriture`,
  ],
  only_from: ['only from', 'seulement depuis'],
  revoked_at: ['Ended', 'Fin'],
  edit_title: ['Edit this key', 'Modifier cette clé'],
  saved: ['The key is changed.', 'La clé est modifiée.'],
  rotate: ['Rotate', 'Renouveler'],
  revoke: ['Revoke', 'Révoquer'],
  requests: ['Requests', 'Requêtes'],
  rotate_title: ['Rotate this key', 'Renouveler cette clé'],
  rotate_text: [
    'You get a new key with the same name and limits, which may do the same. Once the old one is revoked, programs that still use it get 401 until they have the new one.',
    'Vous recevez une nouvelle clé du même nom, avec les mêmes droits et les mêmes limites. Une fois l’ancienne révoquée, les programmes qui l’utilisent encore reçoivent 401 jusqu’à ce qu’ils aient la nouvelle.',
  ],
  overlap: ['Revoke the old key', 'Révoquer l’ancienne clé'],
  overlap_hint: [
    'Choose “now” if somebody else may have it.',
    'Choisissez « maintenant » si quelqu’un d’autre a pu l’obtenir.',
  ],
  overlaps: {
    0: ['now', 'maintenant'],
    3_600: ['in one hour', 'dans une heure'],
    86_400: ['in 24 hours', 'dans 24 heures'],
  },
  rotate_now: ['Rotate now', 'Renouveler maintenant'],
  revoke_title: ['Revoke this key', 'Révoquer cette clé'],
  revoke_text: [
    'The next request with it is refused with 401. This cannot be undone; you can create another key at any time.',
    'Toute nouvelle requête avec cette clé est refusée (401). C’est définitif ; vous pouvez créer une autre clé à tout moment.',
  ],
  revoke_now: ['Revoke now', 'Révoquer maintenant'],
  already_revoked: [
    'This key is revoked already, or has expired.',
    'Cette clé est déjà révoquée, ou elle a expiré.',
  ],
});
