import { translate } from '../../domain/language';

export const WORDS = translate({
  guides: ['Guides', 'Guides'],
  lead: [
    'From the first call to the first real payment. The programs run as they are once your test key is in its place.',
    'Du premier appel au premier paiement réel. Les programmes s’exécutent tels quels, une fois votre clé de test à sa place.',
  ],
  first_call: ['A first call', 'Un premier appel'],
  first_call_lead: [
    'Your test wallets hold test money. This shows them.',
    'Vos portefeuilles de test contiennent de l’argent fictif. Voici comment les afficher.',
  ],
  key_is_in_it: ['Your new key is in it already.', 'Votre nouvelle clé y figure déjà.'],
  reference: ['API reference', 'Référence de l’API'],
  errors: ['All error codes', 'Tous les codes d’erreur'],
  api_address: ['Address of the API', 'Adresse de l’API'],
  your_key: ['In the programs:', 'Dans les programmes :'],
  key_is_yours: [
    'This is the beginning and the end of your newest test key. Put the whole key in its place: it was shown when it was made, and can be made anew under API keys.',
    'Ce sont le début et la fin de votre clé de test la plus récente. Mettez la clé entière à cette place : elle a été affichée à sa création, et vous pouvez en créer une autre sous Clés d’API.',
  ],
  no_key: ['Put a test key in its place.', 'Mettez une clé de test à cette place.'],
  make_key: ['Make a test key', 'Créer une clé de test'],
  clients: ['Install a client', 'Installer un client'],
  clients_text: [
    'The clients for TypeScript and JavaScript, Python and PHP repeat a call whose response was lost with the same key, so that money is sent once. They take and return amounts as exact decimals. Install them from this service only: their names are not reserved elsewhere yet.',
    'Les clients pour TypeScript et JavaScript, Python et PHP répètent avec la même clé un appel dont la réponse s’est perdue : l’argent ne part qu’une fois. Ils prennent et rendent les montants en décimaux exacts. Installez-les depuis ce service uniquement : leurs noms ne sont pas encore réservés ailleurs.',
  ],
  php_upload: [
    'Without Composer, unpack the .zip beside your pages: it contains the folder payments-client. For other languages there are curl and /openapi.json.',
    'Sans Composer, décompressez le .zip à côté de vos pages : il contient le dossier payments-client. Pour les autres langages, il y a curl et /openapi.json.',
  ],
  first_transfer: ['A first transfer', 'Un premier transfert'],
  first_transfer_steps: [
    [
      'Add play money to your test wallet under Rehearse.',
      'Put the username of another account of this service in the place of `customer`. The key is a test key: no real money moves.',
      'The program prints the transfer: its reference, `TRF-…`, and its status, `simulated`; with a live key it is `completed`.',
    ],
    [
      'Ajoutez de l’argent fictif à votre portefeuille de test sous Simulations.',
      'Mettez le nom d’utilisateur d’un autre compte de ce service à la place de `customer`. La clé est une clé de test : aucun argent réel ne bouge.',
      'Le programme affiche le transfert : sa référence, `TRF-…`, et son statut, `simulated` ; avec une clé réelle, `completed`.',
    ],
  ],
  first_payment: ['A first payment', 'Un premier paiement'],
  first_payment_steps: [
    [
      'Ask for a payment link. The program prints it, with its address, `pay_url`.',
      'Open the address in a browser and choose at the simulator what happens. No money moves.',
      'The status becomes `succeeded`, and the amount is in your test wallet.',
      'Run the program again: with the same `Idempotency-Key` you get the same link. A new order has a new key.',
    ],
    [
      'Demandez un lien de paiement. Le programme l’affiche, avec son adresse, `pay_url`.',
      'Ouvrez cette adresse dans un navigateur et choisissez au simulateur ce qui se passe. Aucun argent ne bouge.',
      'Le statut devient `succeeded`, et le montant est dans votre portefeuille de test.',
      'Relancez le programme : avec la même `Idempotency-Key`, vous obtenez le même lien. Une nouvelle commande a une nouvelle clé.',
    ],
  ],
  webhooks: ['Webhooks', 'Webhooks'],
  webhooks_steps: [
    [
      'Only the API and a verified webhook prove that a payment was made. An address to which the customer comes back proves nothing: anybody can type it.',
      'Make an endpoint under Webhooks, and keep its secret, `whsec_…`, where the program finds it: in the environment variable `WEBHOOK_SECRET`.',
      'Give the client the bytes as they arrived, before anything parses them: it verifies the signature and the time. While a secret is rotated, each delivery is signed with both.',
      'Answer with 2xx within 15 seconds, and do longer work afterwards. The same event may arrive twice, with the same `id`: do its work once.',
    ],
    [
      'Seuls l’API et un webhook vérifié prouvent qu’un paiement a eu lieu. L’adresse à laquelle le client revient ne prouve rien : n’importe qui peut la saisir.',
      'Créez un point de réception sous Webhooks, et gardez son secret, `whsec_…`, là où le programme le trouve : dans la variable d’environnement `WEBHOOK_SECRET`.',
      'Donnez au client les octets tels qu’ils sont arrivés, avant toute analyse : il vérifie la signature et l’heure. Pendant le renouvellement d’un secret, chaque envoi est signé avec les deux.',
      'Répondez par 2xx en moins de 15 secondes, et faites ensuite ce qui est plus long. Un même événement peut arriver deux fois, avec le même `id` : traitez-le une seule fois.',
    ],
  ],
  php_run: [
    'Put the PHP file where your web server serves it. To try it: php -S 127.0.0.1:9999 webhook.php',
    'Placez le fichier PHP là où votre serveur web le sert. Pour l’essayer : php -S 127.0.0.1:9999 webhook.php',
  ],
  go_live: ['Before you go live', 'Avant de passer en réel'],
  go_live_steps: [
    [
      'The identity check is approved: live keys need it.',
      'The programs take the live key, `pay_live_…`, from the environment, not from the code. It may be limited to the addresses of your servers.',
      'An endpoint for webhooks is made in live mode too, with a secret of its own.',
      'Every order, refund and transfer is sent with an `Idempotency-Key` of its own, which stays the same when the call is repeated.',
      'After `OutcomeUnknown` the program makes the same call later with the same key. After 429 and 503 the clients wait as `Retry-After` says; a program without a client does the same.',
      'The program decides by `code` of an error, never by its message, and ignores fields and event types that it does not know.',
      'What was missed during an outage is read from GET /events, or sent again from the dashboard.',
      'Everybody who may send money has a second factor under Security.',
    ],
    [
      'La vérification d’identité est approuvée : les clés réelles l’exigent.',
      'Les programmes lisent la clé réelle, `pay_live_…`, dans l’environnement, pas dans le code. Elle peut être limitée aux adresses de vos serveurs.',
      'Un point de réception pour les webhooks existe aussi en réel, avec son propre secret.',
      'Chaque commande, remboursement et transfert est envoyé avec sa propre `Idempotency-Key`, qui reste la même quand l’appel est répété.',
      'Après `OutcomeUnknown`, le programme refait plus tard le même appel avec la même clé. Après 429 et 503, les clients attendent comme `Retry-After` l’indique ; un programme sans client fait de même.',
      'Le programme décide d’après le `code` d’une erreur, jamais d’après son message, et ignore les champs et les types d’événements qu’il ne connaît pas.',
      'Ce qui a été manqué pendant une panne se lit par GET /events, ou se renvoie depuis le tableau de bord.',
      'Chaque personne qui peut envoyer de l’argent a un code de sécurité sous Sécurité.',
    ],
  ],
  to_profile: ['Identity check', 'Vérification d’identité'],
  to_keys: ['API keys', 'Clés d’API'],
  to_webhooks: ['Webhooks', 'Webhooks'],
  to_security: ['Security', 'Sécurité'],
});
