import { counted, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'The people who work in this account. The role of each decides what this person may see and do.',
    'Les personnes qui travaillent dans ce compte. Le rôle décide de ce que chacune peut voir et faire.',
  ],
  since: ['Since', 'Membre depuis'],
  on: ['On', 'Activé'],
  off: ['Off', 'Désactivé'],
  you: ['You', 'Vous'],
  keys: [
    (count: number) => counted('en', count, 'API key', 'API keys'),
    (count) => counted('fr', count, 'clé d’API', 'clés d’API'),
  ],
  keys_end: [
    'The API keys that a person made or rotated last end with their role, and so do an owner’s invitations. If a program uses such a key, rotate it first: it is yours then.',
    'Les clés d’API qu’une personne a créées ou renouvelées prennent fin avec son rôle, de même que les invitations d’un propriétaire. Si un programme utilise une telle clé, renouvelez-la d’abord : elle devient la vôtre.',
  ],
  roles: {
    owner: ['Owner', 'Propriétaire'],
    developer: ['Developer', 'Développeur'],
    cashier: ['Cashier', 'Caisse'],
    accountant: ['Accountant', 'Comptable'],
    viewer: ['Viewer', 'Lecteur'],
  },
  role_texts: {
    owner: [
      'Does everything, with real money too. An account may have several owners.',
      'Peut tout faire, y compris avec l’argent réel. Un compte peut avoir plusieurs propriétaires.',
    ],
    developer: [
      'Creates keys and webhooks and tries everything in test mode; sees real money and does not move it.',
      'Crée des clés et des webhooks et essaie tout en mode test ; voit l’argent réel sans pouvoir le déplacer.',
    ],
    accountant: [
      'Sees balances, payments and what was sent, and downloads statements.',
      'Voit les soldes, les paiements et ce qui a été envoyé, et télécharge les relevés.',
    ],
    viewer: [
      'Sees balances, payments and what was sent, and changes nothing.',
      'Voit les soldes, les paiements et ce qui a été envoyé, sans rien modifier.',
    ],
    cashier: [
      'Creates payment links and sees the payments; sees neither balances nor wages, and sends nothing.',
      'Crée des liens de paiement et voit les ventes ; ne voit ni les soldes ni les salaires, et n’envoie rien.',
    ],
  },
  members: ['People', 'Personnes'],
  make: [(role: string) => `Make ${role}`, (role) => `Passer au rôle ${role.toLowerCase()}`],
  remove: ['Remove', 'Retirer'],
  leave: ['Leave this account', 'Quitter ce compte'],
  left: [
    (account: string) => `You have left the account ${account}.`,
    (account) => `Vous avez quitté le compte ${account}.`,
  ],
  changed: [
    (email: string) => `The role of ${email} is changed.`,
    (email) => `Le rôle de ${email} est modifié.`,
  ],
  removed: [
    (email: string) => `${email} no longer belongs to this account.`,
    (email) => `${email} n’appartient plus à ce compte.`,
  ],
  unchanged: {
    last_owner: [
      'An account always has an owner: make somebody else one first.',
      'Un compte a toujours un propriétaire : donnez d’abord ce rôle à quelqu’un d’autre.',
    ],
    unconfirmed: [
      'An owner needs a confirmed e-mail address. Nothing was changed.',
      'Un propriétaire doit avoir confirmé son adresse e-mail. Rien n’a été modifié.',
    ],
  },
  invite: ['Invite a member', 'Inviter quelqu’un'],
  send: ['Send the invitation', 'Envoyer l’invitation'],
  invited: [
    (email: string) => `The invitation is on its way to ${email}.`,
    (email) => `L’invitation est en route vers ${email}.`,
  ],
  invitations: ['Open invitations', 'Invitations en attente'],
  sent: ['Sent', 'Envoyée'],
  expired: ['Expired', 'Expirée'],
  withdraw: ['Withdraw', 'Retirer'],
  withdrawn: ['The invitation is withdrawn.', 'L’invitation est retirée.'],
  faults: {
    invalid_email: ['This is not an e-mail address.', 'Ce n’est pas une adresse e-mail.'],
    member: [
      'This person belongs to the account already.',
      'Cette personne appartient déjà au compte.',
    ],
    limit: ['A team has fifty people at most.', 'Une équipe compte au plus cinquante personnes.'],
    mail_limit: [
      'Too many messages for now. Try again later.',
      'Trop de messages pour le moment. Réessayez plus tard.',
    ],
    not_owner: ['Only an owner invites.', 'Seul un propriétaire invite.'],
  },
  invitation: [
    (account: string) => `Invitation to ${account}`,
    (account) => `Invitation à ${account}`,
  ],
  invitation_title: ['Invitation', 'Invitation'],
  as: [
    (role: string) => `Your role will be: ${role}.`,
    (role) => `Votre rôle sera : ${role.toLowerCase()}.`,
  ],
  for_address: [
    (email: string) => `The invitation was sent to ${email}.`,
    (email) => `L’invitation a été envoyée à ${email}.`,
  ],
  accept_as: [
    (email: string) => `You are signed in as ${email}.`,
    (email) => `Votre session est ouverte avec ${email}.`,
  ],
  accept: ['Accept', 'Accepter'],
  confirm_first: [
    'An owner needs a confirmed e-mail address. Confirm yours under “Sign-in and security”, and open this link again.',
    'Un propriétaire doit avoir confirmé son adresse e-mail. Confirmez la vôtre dans « Connexion et sécurité », puis rouvrez ce lien.',
  ],
  sign_in_first: [
    'You have a login already: sign in, and then accept.',
    'Vous avez déjà un identifiant : connectez-vous, puis acceptez.',
  ],
  choose_password: [
    'Choose a password, and you are in.',
    'Choisissez un mot de passe, et c’est fait.',
  ],
  join: ['Join', 'Rejoindre'],
  joined: [
    (account: string) => `You belong to the account ${account} now.`,
    (account) => `Vous appartenez maintenant au compte ${account}.`,
  ],
  accounts: ['Your accounts', 'Vos comptes'],
  shown: ['Shown', 'Affiché'],
});
