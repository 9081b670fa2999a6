import type { DocumentType, IdentityFault } from '../../domain/identity';
import { translate } from '../../domain/language';
import type { MailKind } from '../../domain/members';
import type { LogoFault } from '../../use-cases/logos';

const FAULTS_EN: Readonly<Record<IdentityFault, string>> = {
  missing: 'This is needed.',
  too_long: 'This is too long.',
  invalid_date: 'This is not a date, or lies in the future.',
  under_age: 'The holder of an account must be at least 18 years old.',
  invalid_choice: 'Choose one.',
};
const FAULTS_FR: Readonly<Record<IdentityFault, string>> = {
  missing: 'Cette information est requise.',
  too_long: 'C’est trop long.',
  invalid_date: 'Ce n’est pas une date, ou elle est dans le futur.',
  under_age: 'Le titulaire d’un compte doit avoir au moins 18 ans.',
  invalid_choice: 'Choisissez une valeur.',
};
const DOCUMENTS_EN: Readonly<Record<DocumentType, string>> = {
  passport: 'Passport',
  national_id: 'National identity card',
  residence_permit: 'Residence permit',
  company_register: 'Extract from the company register',
};
const DOCUMENTS_FR: Readonly<Record<DocumentType, string>> = {
  passport: 'Passeport',
  national_id: 'Carte nationale d’identité',
  residence_permit: 'Titre de séjour',
  company_register: 'Extrait du registre du commerce',
};

const LOGO_FAULTS_EN: Readonly<Record<LogoFault, string>> = {
  too_large: 'The file is larger than 200 kB.',
  not_png:
    'The file is not a PNG that we can read. JPEG, SVG, WebP and interlaced PNG files are not taken.',
  wrong_size: 'A logo is from 16 to 1,024 pixels wide and high.',
  busy: 'Another logo of yours is being read. Send this one again in a moment.',
};
const LOGO_FAULTS_FR: Readonly<Record<LogoFault, string>> = {
  too_large: 'Le fichier dépasse 200 ko.',
  not_png:
    'Le fichier n’est pas un PNG lisible. Les fichiers JPEG, SVG, WebP et les PNG entrelacés ne sont pas acceptés.',
  wrong_size: 'Un logo a de 16 à 1 024 pixels de large et de haut.',
  busy: 'Un autre de vos logos est en cours de lecture. Renvoyez celui-ci dans un instant.',
};

type MailKinds = Readonly<Record<MailKind, string>>;

export const WORDS = translate(
  {
    profile: 'Profile',
    account: 'Account',
    username: 'Username',
    email: 'Your e-mail address',
    name: 'Name',
    country: 'Country',
    role: 'Your role',
    roles: {
      owner: 'Owner',
      developer: 'Developer',
      cashier: 'Cashier',
      accountant: 'Accountant',
      viewer: 'Viewer',
    },
    public: 'What your customers see',
    public_lead:
      'Your name, how to reach you and your logo are on the payment page and the receipt.',
    display_name: 'Public name',
    display_name_hint: (usual: string) => `Without one: ${usual}.`,
    contact: 'Contact for customers',
    contact_hint: 'An e-mail address, a phone number, or both.',
    save: 'Save',
    saved: 'Saved: your payment pages show it from now on.',
    wrong_public:
      'A name and a contact are one line of letters or digits, without invisible characters: nothing was changed.',
    logo: 'Logo',
    logo_hint: 'A PNG (not JPEG or SVG) of at most 200 kB, from 16 to 1,024 pixels wide and high.',
    send_logo: 'Use this logo',
    remove_logo: 'Remove the logo',
    logo_faults: LOGO_FAULTS_EN,
    mails: 'E-mails',
    mails_lead:
      'About live money and your endpoints. We always write to the owner about the security of the account, a freeze and the identity check.',
    mails_of: (username: string) => `What we write to you about the account ${username}`,
    mail_kinds: {
      payments:
        'Payments and transfers received, within a minute; at most 20 e-mails a day for each wallet',
      digest: 'What was received yesterday, each morning',
      endpoints: 'Webhook endpoints that fail or are disabled',
      statements: 'Monthly statements, when they are ready',
    } satisfies MailKinds as MailKinds,
    saved_mails: 'Saved.',
    check: 'Identity check',
    statuses: {
      not_started: 'Not started',
      pending: 'Waiting',
      approved: 'Approved',
      rejected: 'Not approved',
      expired: 'Expired',
    },
    next: {
      not_started:
        'Live keys need a check of who you are. Send your details below; an operator looks at them, usually within a few days.',
      pending:
        'An operator is looking at your details. You need not do anything: we write to you when it is decided.',
      approved: 'Everything is in order: you can create live keys.',
      rejected:
        'The check was not approved. Correct your details and send them again. Keys that you have go on working.',
      expired: 'No decision came in time. Please send your details again.',
    },
    make_live_key: 'Create a live key',
    reason: 'Reason',
    submitted_at: 'Sent',
    decided_at: 'Decided',
    expires_at: 'Expires without a decision',
    owner_only: 'Only the owner of the account can send the details.',
    details: 'Your details',
    privacy:
      'We keep these details encrypted. Only you and the operators who decide about the check can see them, and each look is recorded.',
    kind: 'Who holds the account',
    kinds: { person: 'A person', company: 'A company' },
    legal_name: 'Full legal name',
    birth_date: 'Date of birth',
    birth_date_hint: 'For a person',
    registration_number: 'Company registration number',
    registration_number_hint: 'For a company, such as its RCCM or SIREN number',
    address: 'Address',
    document_type: 'Document',
    documents: DOCUMENTS_EN,
    document_number: 'Document number',
    correct: 'Correct what was sent',
    submit: 'Send for checking',
    submitted: 'Your details were sent. We write to you when an operator has decided.',
    not_possible: 'A check is under way or approved already, so nothing was sent.',
    faults: FAULTS_EN,
  },
  {
    profile: 'Profil',
    account: 'Compte',
    username: 'Nom d’utilisateur',
    email: 'Votre adresse e-mail',
    name: 'Nom',
    country: 'Pays',
    role: 'Votre rôle',
    roles: {
      owner: 'Propriétaire',
      developer: 'Développeur',
      cashier: 'Caisse',
      accountant: 'Comptable',
      viewer: 'Lecteur',
    },
    public: 'Ce que voient vos clients',
    public_lead:
      'Votre nom, votre contact et votre logo figurent sur la page de paiement et sur le reçu.',
    display_name: 'Nom public',
    display_name_hint: (usual: string) => `Sans lui : ${usual}.`,
    contact: 'Contact pour vos clients',
    contact_hint: 'Une adresse e-mail, un numéro de téléphone, ou les deux.',
    save: 'Enregistrer',
    saved: 'Enregistré : vos pages de paiement l’affichent désormais.',
    wrong_public:
      'Un nom et un contact sont une ligne de lettres ou de chiffres, sans caractères invisibles : rien n’a changé.',
    logo: 'Logo',
    logo_hint:
      'Un PNG (ni JPEG ni SVG) de 200 ko au plus, de 16 à 1 024 pixels de large et de haut.',
    send_logo: 'Utiliser ce logo',
    remove_logo: 'Retirer le logo',
    logo_faults: LOGO_FAULTS_FR,
    mails: 'E-mails',
    mails_lead:
      'Sur l’argent en mode réel et vos endpoints. Nous écrivons toujours au propriétaire pour la sécurité du compte, un gel et la vérification d’identité.',
    mails_of: (username: string) => `Ce que nous vous écrivons sur le compte ${username}`,
    mail_kinds: {
      payments:
        'Paiements et transferts reçus, dans la minute ; au plus 20 e-mails par jour et par portefeuille',
      digest: 'Ce qui a été reçu la veille, chaque matin',
      endpoints: 'Endpoints de webhooks en échec ou désactivés',
      statements: 'Relevés mensuels, dès qu’ils sont prêts',
    } satisfies MailKinds as MailKinds,
    saved_mails: 'Enregistré.',
    check: 'Vérification d’identité',
    statuses: {
      not_started: 'Non commencée',
      pending: 'En attente',
      approved: 'Approuvée',
      rejected: 'Non approuvée',
      expired: 'Expirée',
    },
    next: {
      not_started:
        'Les clés de production exigent une vérification de votre identité. Envoyez vos informations ci-dessous ; un opérateur les examine, en général en quelques jours.',
      pending:
        'Un opérateur examine vos informations. Vous n’avez rien à faire : nous vous écrirons dès la décision.',
      approved: 'Tout est en ordre : vous pouvez créer des clés de production.',
      rejected:
        'La vérification n’a pas été approuvée. Corrigez vos informations et renvoyez-les. Vos clés existantes continuent de fonctionner.',
      expired: 'Personne n’a statué à temps. Veuillez renvoyer vos informations.',
    },
    make_live_key: 'Créer une clé de production',
    reason: 'Motif',
    submitted_at: 'Envoyée',
    decided_at: 'Décidée',
    expires_at: 'Expire sans décision',
    owner_only: 'Seul le propriétaire du compte peut envoyer ces informations.',
    details: 'Vos informations',
    privacy:
      'Nous conservons ces informations chiffrées. Vous seul et les opérateurs chargés de la vérification pouvez les voir, et chaque consultation est enregistrée.',
    kind: 'Titulaire du compte',
    kinds: { person: 'Une personne', company: 'Une entreprise' },
    legal_name: 'Nom légal complet',
    birth_date: 'Date de naissance',
    birth_date_hint: 'Pour une personne',
    registration_number: 'Numéro d’immatriculation de l’entreprise',
    registration_number_hint: 'Pour une entreprise, par exemple son numéro RCCM ou SIREN',
    address: 'Adresse',
    document_type: 'Pièce justificative',
    documents: DOCUMENTS_FR,
    document_number: 'Numéro de la pièce',
    correct: 'Corriger',
    submit: 'Envoyer pour vérification',
    submitted:
      'Vos informations ont été envoyées. Nous vous écrirons dès qu’un opérateur aura statué.',
    not_possible: 'Une vérification est déjà en cours ou approuvée ; rien n’a été envoyé.',
    faults: FAULTS_FR,
  },
);
