import { counted, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  lead: [
    'Owners do everything, and an account may have several. Developers create keys and webhooks and use the sandbox; live money is the owners’. Cashiers create payment links and see payments, and neither send nor refund. Accountants look at everything and download it. Viewers only look.',
    'Les propriétaires peuvent tout faire, et un compte peut en avoir plusieurs. Les développeurs créent des clés et des webhooks et utilisent le mode test ; l’argent réel est réservé aux propriétaires. La caisse crée des liens de paiement et voit les paiements, sans rien envoyer ni rembourser. Le comptable consulte tout et télécharge les relevés. Les lecteurs ne font que consulter.',
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
    (role: string) => `You are invited as: ${role}.`,
    (role) => `Vous êtes invité comme : ${role.toLowerCase()}.`,
  ],
  for_address: [
    (email: string) => `The invitation was sent to ${email}.`,
    (email) => `L’invitation a été envoyée à ${email}.`,
  ],
  accept_as: [
    (email: string) => `You are signed in as ${email}.`,
    (email) => `Vous êtes connecté comme ${email}.`,
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
