import type { DocumentType, IdentityFault } from '../../domain/identity';
import { translate, type Pairs } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';
import type { MailKind } from '../../domain/members';
import type { LogoFault } from '../../use-cases/logos';

const FAULTS: Pairs<Readonly<Record<IdentityFault, string>>> = {
  missing: ['This is needed.', 'Cette information est requise.'],
  too_long: ['This is too long.', 'C’est trop long.'],
  invalid_date: [
    'This is not a date, or lies in the future.',
    'Ce n’est pas une date, ou elle est dans le futur.',
  ],
  under_age: [
    'The holder of an account must be at least 18 years old.',
    'Le titulaire d’un compte doit avoir au moins 18 ans.',
  ],
  invalid_choice: ['Choose one.', 'Choisissez une valeur.'],
};
const DOCUMENTS: Pairs<Readonly<Record<DocumentType, string>>> = {
  passport: ['Passport', 'Passeport'],
  national_id: ['National identity card', 'Carte nationale d’identité'],
  residence_permit: ['Residence permit', 'Titre de séjour'],
  company_register: ['Extract from the company register', 'Extrait du registre du commerce'],
};

const LOGO_FAULTS: Pairs<Readonly<Record<LogoFault, string>>> = {
  too_large: ['The file is larger than 200 kB.', 'Le fichier dépasse 200 ko.'],
  not_png: [
    'The file is not a picture that we can read. Choose a photo or a PNG; SVG and interlaced PNG files are not taken, and without JavaScript only PNG is.',
    'Le fichier n’est pas une image lisible. Choisissez une photo ou un PNG ; les SVG et les PNG entrelacés ne sont pas acceptés, et sans JavaScript seul le PNG l’est.',
  ],
  wrong_size: [
    'A logo is from 16 to 1,024 pixels wide and high.',
    'Un logo a de 16 à 1 024 pixels de large et de haut.',
  ],
  busy: [
    'Another logo of yours is being read. Send this one again in a moment.',
    'Un autre de vos logos est en cours de lecture. Renvoyez celui-ci dans un instant.',
  ],
};

type MailKinds = Readonly<Record<MailKind, string>>;

export const WORDS = translate({
  ...VOCABULARY,
  email: ['Your e-mail address', 'Votre adresse e-mail'],
  role: ['Your role', 'Votre rôle'],
  roles: {
    owner: ['Owner', 'Propriétaire'],
    developer: ['Developer', 'Développeur'],
    cashier: ['Cashier', 'Caisse'],
    accountant: ['Accountant', 'Comptable'],
    viewer: ['Viewer', 'Lecteur'],
  },
  public: ['What your customers see', 'Ce que voient vos clients'],
  public_lead: [
    'Your name, how to reach you and your logo are on the payment page and the receipt.',
    'Votre nom, votre contact et votre logo figurent sur la page de paiement et sur le reçu.',
  ],
  display_name: ['Public name', 'Nom public'],
  display_name_hint: [
    (usual: string) => `Without one: ${usual}.`,
    (usual) => `Sans lui : ${usual}.`,
  ],
  contact: ['Contact for customers', 'Contact pour vos clients'],
  contact_hint: [
    'An e-mail address, a phone number, or both.',
    'Une adresse e-mail, un numéro de téléphone, ou les deux.',
  ],
  saved: [
    'Saved: your payment pages show it from now on.',
    'Enregistré : vos pages de paiement l’affichent désormais.',
  ],
  wrong_public: [
    'A name and a contact are one line of letters or digits, without invisible characters: nothing was changed.',
    'Un nom et un contact sont une ligne de lettres ou de chiffres, sans caractères invisibles : rien n’a changé.',
  ],
  logo: ['Logo', 'Logo'],
  logo_hint: [
    'A photo or a picture: the page makes it small. Without JavaScript, a PNG of at most 200 kB, from 16 to 1,024 pixels wide and high.',
    'Une photo ou une image : la page la réduit. Sans JavaScript, un PNG de 200 ko au plus, de 16 à 1 024 pixels de large et de haut.',
  ],
  send_logo: ['Use this logo', 'Utiliser ce logo'],
  remove_logo: ['Remove the logo', 'Retirer le logo'],
  logo_faults: LOGO_FAULTS,
  mails: ['E-mails', 'E-mails'],
  mails_lead: [
    'About live money and your endpoints. We always write to the owner about the security of the account, a freeze and the identity check.',
    'Sur l’argent en mode réel et vos endpoints. Nous écrivons toujours au propriétaire pour la sécurité du compte, un gel et la vérification d’identité.',
  ],
  mails_of: [
    (username: string) => `What we write to you about the account ${username}`,
    (username) => `Ce que nous vous écrivons sur le compte ${username}`,
  ],
  mail_kinds: {
    payments: [
      'Payments and transfers received, within a minute; at most 20 e-mails a day for each wallet',
      'Paiements et transferts reçus, dans la minute ; au plus 20 e-mails par jour et par portefeuille',
    ],
    digest: [
      'What was received yesterday, each morning',
      'Ce qui a été reçu la veille, chaque matin',
    ],
    endpoints: [
      'Webhook endpoints that fail or are disabled',
      'Endpoints de webhooks en échec ou désactivés',
    ],
    statements: [
      'Monthly statements, when they are ready',
      'Relevés mensuels, dès qu’ils sont prêts',
    ],
  } satisfies Pairs<MailKinds>,
  saved_mails: ['Saved.', 'Enregistré.'],
  check: ['Identity check', 'Vérification d’identité'],
  statuses: {
    not_started: ['Not started', 'Non commencée'],
    pending: ['Waiting', 'En attente'],
    approved: ['Approved', 'Approuvée'],
    rejected: ['Not approved', 'Non approuvée'],
    expired: ['Expired', 'Expirée'],
  },
  next: {
    not_started: [
      'To take real money, we need to know who you are. Send your details below; an operator looks at them, usually within a few days.',
      'Pour encaisser de l’argent réel, votre identité doit être vérifiée. Envoyez vos informations ci-dessous ; un opérateur les examine, en général en quelques jours.',
    ],
    pending: [
      'An operator is looking at your details. We write to you when it is decided.',
      'Un opérateur examine vos informations. Nous vous écrirons dès la décision.',
    ],
    approved: [
      'Everything is in order: this account may take real money.',
      'Tout est en ordre : ce compte peut encaisser de l’argent réel.',
    ],
    rejected: [
      'The check was not approved. Correct your details and send them again.',
      'La vérification n’a pas été approuvée. Corrigez vos informations et renvoyez-les.',
    ],
    expired: [
      'No decision came in time. Please send your details again.',
      'Personne n’a statué à temps. Veuillez renvoyer vos informations.',
    ],
  },
  submitted_at: ['Sent', 'Envoyée'],
  decided_at: ['Decided', 'Décidée'],
  expires_at: ['Expires without a decision', 'Expire sans décision'],
  owner_only: [
    'Only the owner of the account can send the details.',
    'Seul le propriétaire du compte peut envoyer ces informations.',
  ],
  details: ['Your details', 'Vos informations'],
  privacy: [
    'We keep these details encrypted. Only you and the operators who decide about the check can see them, and each look is recorded.',
    'Nous conservons ces informations chiffrées. Vous seul et les opérateurs chargés de la vérification pouvez les voir, et chaque consultation est enregistrée.',
  ],
  kind: ['Who holds the account', 'Titulaire du compte'],
  kinds: {
    person: ['A person', 'Une personne'],
    company: ['A company', 'Une entreprise'],
  },
  legal_name: ['Full legal name', 'Nom légal complet'],
  birth_date: ['Date of birth', 'Date de naissance'],
  birth_date_hint: ['For a person', 'Pour une personne'],
  registration_number: ['Company registration number', 'Numéro d’immatriculation de l’entreprise'],
  registration_number_hint: [
    'For a company, such as its RCCM or SIREN number',
    'Pour une entreprise, par exemple son numéro RCCM ou SIREN',
  ],
  address: ['Address', 'Adresse'],
  document_type: ['Document', 'Pièce justificative'],
  documents: DOCUMENTS,
  document_number: ['Document number', 'Numéro de la pièce'],
  correct: ['Correct what was sent', 'Corriger'],
  submit: ['Send for checking', 'Envoyer pour vérification'],
  submitted: [
    'Your details were sent. Now add a photo of your document.',
    'Vos informations ont été envoyées. Ajoutez maintenant une photo de votre pièce.',
  ],
  pictures: ['Photo of your document', 'Photo de votre pièce'],
  pictures_lead: [
    'The operator needs a photo of the front to decide. It is kept encrypted like your details, and only the operators who decide see it.',
    'L’opérateur a besoin d’une photo du recto pour statuer. Elle est conservée chiffrée, comme vos informations, et seuls les opérateurs chargés de la vérification la voient.',
  ],
  sides: { front: ['Front', 'Recto'], back: ['Back, if it has one', 'Verso, s’il y en a un'] },
  picture_hint: [
    'A photo from your phone: JPEG or PNG, up to 5 MB.',
    'Une photo prise avec votre téléphone : JPEG ou PNG, 5 Mo au plus.',
  ],
  picture_there: ['Sent', 'Envoyée'],
  send_picture: ['Send the photo', 'Envoyer la photo'],
  replace_picture: ['Replace the photo', 'Remplacer la photo'],
  picture_outcomes: {
    kept: ['The photo was sent.', 'La photo a été envoyée.'],
    too_large: [
      'The photo is larger than 5 MB. Take a smaller one.',
      'La photo dépasse 5 Mo. Choisissez-en une plus petite.',
    ],
    no_picture: [
      'This is no JPEG or PNG. Choose a photo.',
      'Ce fichier n’est ni un JPEG ni un PNG. Choisissez une photo.',
    ],
    not_waiting: [
      'The check is decided, so nothing was sent.',
      'La vérification est décidée ; rien n’a été envoyé.',
    ],
  },
  not_possible: [
    'A check is under way or approved already, so nothing was sent.',
    'Une vérification est déjà en cours ou approuvée ; rien n’a été envoyé.',
  ],
  faults: FAULTS,
});
