// What mails about accounts say, in plain text.

import { translate } from '../domain/language';

interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** Paragraphs, and who it is from. */
function written(subject: string, ...paragraphs: readonly string[]): MailText {
  return { subject, text: `${paragraphs.join('\n\n')}\n` };
}

export const MAIL_TEXTS = translate(
  {
    confirm: (username: string, link: string) =>
      written(
        'Confirm your e-mail address',
        `Welcome to Payments. The account ${username} was created with this e-mail address. Open this page and press its button: the address is confirmed, and you are signed in.`,
        link,
        'The link works for three days. If you did not create this account, do not confirm it: ignore this message.',
      ),
    has_account: (username: string, sign_in: string, forgotten: string) =>
      written(
        'You have an account already',
        `The account ${username} was created with this e-mail address, perhaps by you. The address belongs to your own account already and stays with it: ${username} cannot use it. Sign in to your account here:`,
        sign_in,
        'If you have forgotten your password, choose a new one:',
        forgotten,
      ),
    reset: (username: string | null, link: string) =>
      written(
        'Choose a new password',
        username === null
          ? 'Open this page to choose a new password:'
          : `Open this page to choose a new password for the account ${username}:`,
        link,
        'The link works once, for one hour. If you did not ask for it, ignore this message: your password stays as it is.',
      ),
    password_changed: (forgotten: string, is_first_proof: boolean) =>
      written(
        'Your password was changed',
        'The password of your account was changed, and all other browsers were signed out.',
        ...(is_first_proof
          ? [
              'Your e-mail address had not been confirmed before, so another person may have used the account. Its API keys are revoked, its webhook endpoints disabled, its public name, contact and logo removed; other members and open invitations are gone. Make new keys, and enable only the endpoints that you know.',
            ]
          : []),
        'If it was not you, choose a new password at once, and tell the operator of this service:',
        forgotten,
      ),
    totp_on: (security: string) =>
      written(
        'Signing in now takes a code',
        'From now on, signing in takes a code from your authenticator app besides the password. If it was not you, tell the operator of this service.',
        security,
      ),
    totp_off: (security: string) =>
      written(
        'Signing in takes no code any more',
        'The second factor of your account was switched off: the password alone is enough from now on. If it was not you, change your password at once:',
        security,
      ),
    recovery_used: (security: string) =>
      written(
        'A recovery code was used',
        'Somebody signed in to your account with a recovery code. It is used up. If it was not you, change your password at once:',
        security,
      ),
    invitation: (account: string, link: string) =>
      written(
        `Invitation to the account ${account}`,
        `You are invited to work in the account ${account}. Open this page to accept:`,
        link,
        'The link works for seven days. If you do not know the account, ignore this message.',
      ),
  },
  {
    confirm: (username: string, link: string) =>
      written(
        'Confirmez votre adresse e-mail',
        `Bienvenue sur Paiements. Le compte ${username} a été créé avec cette adresse e-mail. Ouvrez cette page et appuyez sur son bouton : l’adresse est confirmée et vous êtes connecté.`,
        link,
        'Le lien est valable trois jours. Si vous n’avez pas créé ce compte, ne le confirmez pas : ignorez ce message.',
      ),
    has_account: (username: string, sign_in: string, forgotten: string) =>
      written(
        'Vous avez déjà un compte',
        `Le compte ${username} a été créé avec cette adresse e-mail, peut-être par vous. L’adresse appartient déjà à votre compte et y reste : ${username} ne peut pas l’utiliser. Connectez-vous à votre compte ici :`,
        sign_in,
        'Si vous avez oublié votre mot de passe, choisissez-en un nouveau :',
        forgotten,
      ),
    reset: (username: string | null, link: string) =>
      written(
        'Choisissez un nouveau mot de passe',
        username === null
          ? 'Ouvrez cette page pour choisir un nouveau mot de passe :'
          : `Ouvrez cette page pour choisir un nouveau mot de passe pour le compte ${username} :`,
        link,
        'Le lien fonctionne une seule fois, pendant une heure. Si vous n’avez rien demandé, ignorez ce message : votre mot de passe ne change pas.',
      ),
    password_changed: (forgotten: string, is_first_proof: boolean) =>
      written(
        'Votre mot de passe a été modifié',
        'Le mot de passe de votre compte a été modifié, et tous les autres navigateurs ont été déconnectés.',
        ...(is_first_proof
          ? [
              'Votre adresse e-mail n’avait pas encore été confirmée : une autre personne a pu utiliser le compte. Ses clés d’API sont révoquées, ses endpoints de webhooks désactivés, son nom public, son contact et son logo supprimés ; les autres membres et les invitations en attente ont été retirés. Créez de nouvelles clés et ne réactivez que les endpoints que vous connaissez.',
            ]
          : []),
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe et prévenez l’opérateur de ce service :',
        forgotten,
      ),
    totp_on: (security: string) =>
      written(
        'La connexion demande désormais un code',
        'Désormais, la connexion demande un code de votre application d’authentification en plus du mot de passe. Si ce n’était pas vous, prévenez l’opérateur de ce service.',
        security,
      ),
    totp_off: (security: string) =>
      written(
        'La connexion ne demande plus de code',
        'Le second facteur de votre compte a été désactivé : le mot de passe suffit désormais. Si ce n’était pas vous, changez tout de suite votre mot de passe :',
        security,
      ),
    recovery_used: (security: string) =>
      written(
        'Un code de secours a été utilisé',
        'Quelqu’un s’est connecté à votre compte avec un code de secours. Ce code ne fonctionne plus. Si ce n’était pas vous, changez tout de suite votre mot de passe :',
        security,
      ),
    invitation: (account: string, link: string) =>
      written(
        `Invitation au compte ${account}`,
        `Vous êtes invité à travailler dans le compte ${account}. Ouvrez cette page pour accepter :`,
        link,
        'Le lien est valable sept jours. Si vous ne connaissez pas ce compte, ignorez ce message.',
      ),
  },
);
