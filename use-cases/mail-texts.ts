// The mails to the people of accounts, in plain text.

import type { Environment } from '../domain/environment';
import { counted, translate } from '../domain/language';
import type { MailText } from './mails';

/** Paragraphs, and who it is from. */
function written(subject: string, ...paragraphs: readonly string[]): MailText {
  return { subject, text: `${paragraphs.join('\n\n')}\n` };
}

export const MODES = translate({
  live: ['live mode', 'mode réel'],
  sandbox: ['test mode', 'mode test'],
});

export const MAIL_TEXTS = translate({
  confirm: [
    (username: string, link: string) =>
      written(
        'Confirm your e-mail address',
        `Welcome to Payments. The account ${username} was created with this e-mail address. Open this page and press its button: the address is confirmed, and you are signed in.`,
        link,
        'The link works for three days. If you did not create this account, do not confirm it: ignore this message.',
      ),
    (username, link) =>
      written(
        'Confirmez votre adresse e-mail',
        `Bienvenue sur Paiements. Le compte ${username} a été créé avec cette adresse e-mail. Ouvrez cette page et appuyez sur son bouton : l’adresse est confirmée et votre session s’ouvre.`,
        link,
        'Le lien est valable trois jours. Si vous n’avez pas créé ce compte, ne le confirmez pas : ignorez ce message.',
      ),
  ],
  has_account: [
    (username: string, sign_in: string, forgotten: string) =>
      written(
        'You have an account already',
        `The account ${username} was created with this e-mail address, perhaps by you. The address belongs to your own account already and stays with it: ${username} cannot use it. Sign in to your account here:`,
        sign_in,
        'If you have forgotten your password, choose a new one:',
        forgotten,
      ),
    (username, sign_in, forgotten) =>
      written(
        'Vous avez déjà un compte',
        `Le compte ${username} a été créé avec cette adresse e-mail, peut-être par vous. L’adresse appartient déjà à votre compte et y reste : ${username} ne peut pas l’utiliser. Connectez-vous à votre compte ici :`,
        sign_in,
        'Si vous avez oublié votre mot de passe, choisissez-en un nouveau :',
        forgotten,
      ),
  ],
  reset: [
    (username: string | null, link: string) =>
      written(
        'Choose a new password',
        username === null
          ? 'Open this page to choose a new password:'
          : `Open this page to choose a new password for the account ${username}:`,
        link,
        'The link works once, for one hour. If you did not ask for it, ignore this message: your password stays as it is.',
      ),
    (username, link) =>
      written(
        'Choisissez un nouveau mot de passe',
        username === null
          ? 'Ouvrez cette page pour choisir un nouveau mot de passe :'
          : `Ouvrez cette page pour choisir un nouveau mot de passe pour le compte ${username} :`,
        link,
        'Le lien fonctionne une seule fois, pendant une heure. Si vous n’avez rien demandé, ignorez ce message : votre mot de passe ne change pas.',
      ),
  ],
  password_changed: [
    (forgotten: string, is_first_proof: boolean) =>
      written(
        'Your password was changed',
        'The password of your account was changed, and all other browsers were signed out.',
        ...(is_first_proof
          ? [
              'Your e-mail address had not been confirmed before, so another person may have used the account. Its API keys are revoked, its webhook endpoints disabled, its reusable links taken out of use, its open payment links ended, its public name, contact and logo removed; other members and open invitations are gone. Make new keys. Enable only the endpoints and put back in use only the links that you know.',
            ]
          : []),
        'If it was not you, choose a new password at once, and tell the operator of this service:',
        forgotten,
      ),
    (forgotten, is_first_proof) =>
      written(
        'Votre mot de passe a été modifié',
        'Le mot de passe de votre compte a été modifié, et tous les autres navigateurs ont été déconnectés.',
        ...(is_first_proof
          ? [
              'Votre adresse e-mail n’avait pas encore été confirmée : une autre personne a pu utiliser le compte. Ses clés d’API sont révoquées, ses endpoints de webhooks et ses liens réutilisables désactivés, ses liens de paiement ouverts arrêtés, son nom public, son contact et son logo supprimés ; les autres membres et les invitations en attente ont été retirés. Créez de nouvelles clés et ne réactivez que les endpoints et les liens que vous connaissez.',
            ]
          : []),
        'Si ce n’était pas vous, choisissez tout de suite un nouveau mot de passe et prévenez l’opérateur de ce service :',
        forgotten,
      ),
  ],
  totp_on: [
    (security: string) =>
      written(
        'Signing in now takes a code',
        'From now on, signing in takes a code from your authenticator app besides the password. If it was not you, tell the operator of this service.',
        security,
      ),
    (security) =>
      written(
        'La connexion demande désormais un code',
        'Désormais, la connexion demande un code de votre application d’authentification en plus du mot de passe. Si ce n’était pas vous, prévenez l’opérateur de ce service.',
        security,
      ),
  ],
  totp_off: [
    (security: string) =>
      written(
        'Signing in takes no code any more',
        'The second factor of your account was switched off: the password alone is enough from now on. If it was not you, change your password at once:',
        security,
      ),
    (security) =>
      written(
        'La connexion ne demande plus de code',
        'Le code de sécurité de votre compte a été désactivé : le mot de passe suffit désormais. Si ce n’était pas vous, changez tout de suite votre mot de passe :',
        security,
      ),
  ],
  recovery_used: [
    (security: string) =>
      written(
        'A recovery code was used',
        'Somebody signed in to your account with a recovery code. It is used up. If it was not you, change your password at once:',
        security,
      ),
    (security) =>
      written(
        'Un code de secours a été utilisé',
        'Quelqu’un s’est connecté à votre compte avec un code de secours. Ce code ne fonctionne plus. Si ce n’était pas vous, changez tout de suite votre mot de passe :',
        security,
      ),
  ],
  invitation: [
    (account: string, link: string) =>
      written(
        `Invitation to the account ${account}`,
        `You are invited to work in the account ${account}. Open this page to accept:`,
        link,
        'The link works for seven days. If you do not know the account, ignore this message.',
      ),
    (account, link) =>
      written(
        `Invitation au compte ${account}`,
        `On vous invite à travailler dans le compte ${account}. Ouvrez cette page pour accepter :`,
        link,
        'Le lien est valable sept jours. Si vous ne connaissez pas ce compte, ignorez ce message.',
      ),
  ],
  received_one: [
    (amount: string) => `You have received ${amount}`,
    (amount) => `Vous avez reçu ${amount}`,
  ],
  received: [
    (count: number, amount: string) =>
      `${counted('en', count, 'payment', 'payments')} received: ${amount}`,
    (count, amount) => `${counted('fr', count, 'paiement reçu', 'paiements reçus')} : ${amount}`,
  ],
  received_more: [
    (count: number) => `More than ${counted('en', count, 'payment', 'payments')} received`,
    (count) => `Plus de ${counted('fr', count, 'paiement reçu', 'paiements reçus')}`,
  ],
  in_account: [
    (username: string) => `Account ${username}, live mode:`,
    (username) => `Compte ${username}, mode réel :`,
  ],
  payment: ['payment', 'paiement'],
  transfer_from: [
    (username: string) => `transfer from ${username}`,
    (username) => `transfert de ${username}`,
  ],
  quoted: [(words: string) => `“${words}”`, (words) => `«\u00a0${words}\u00a0»`],
  last_today: [
    (count: number) =>
      `This was mail ${count} about this wallet today, and the last: tomorrow morning one mail has the sums of the day.`,
    (count) =>
      `C’était l’e-mail n° ${count} de la journée pour ce portefeuille, et le dernier : demain matin, un e-mail vous donnera les totaux du jour.`,
  ],
  all: ['All transactions:', 'Toutes les opérations :'],
  change: ['You choose here which mails you get:', 'Choisissez ici les e-mails que vous recevez :'],
  digest: [
    (day: string) => `What you received on ${day}`,
    (day) => `Ce que vous avez reçu le ${day}`,
  ],
  sum: [
    (count: number, amount: string) =>
      `${amount} in ${counted('en', count, 'payment', 'payments')}`,
    (count, amount) => `${amount} en ${counted('fr', count, 'paiement', 'paiements')}`,
  ],
  statement: [
    (username: string, month: string, link: string, profile: string) =>
      written(
        `The statement of ${month} is ready`,
        `The statements of the account ${username} for ${month} are closed. They are here as PDF and for Excel:`,
        link,
        `You choose here which mails you get:\n${profile}`,
      ),
    (username, month, link, profile) =>
      written(
        `Relevé prêt : ${month}`,
        `Les relevés du compte ${username} pour ${month} sont arrêtés. Les voici, en PDF et pour Excel :`,
        link,
        `Choisissez ici les e-mails que vous recevez :\n${profile}`,
      ),
  ],
  frozen: [
    (username: string, link: string) =>
      written(
        'Your account is frozen',
        `The operator of this service has frozen the account ${username}: its API keys are refused, and no money leaves its wallets. Payments still arrive. Contact the operator to learn why.`,
        link,
      ),
    (username, link) =>
      written(
        'Votre compte est gelé',
        `L’opérateur de ce service a gelé le compte ${username} : ses clés d’API sont refusées et aucun argent ne quitte ses portefeuilles. Les paiements continuent d’arriver. Contactez l’opérateur pour en connaître la raison.`,
        link,
      ),
  ],
  unfrozen: [
    (username: string, link: string) =>
      written(
        'Your account is no longer frozen',
        `All works as before in the account ${username}: its API keys are accepted, and money can be sent again.`,
        link,
      ),
    (username, link) =>
      written(
        'Votre compte n’est plus gelé',
        `Le compte ${username} fonctionne de nouveau : ses clés d’API sont acceptées et les envois d’argent sont possibles.`,
        link,
      ),
  ],
  endpoint_failing: [
    (url: string, environment: Environment, link: string, profile: string) =>
      written(
        'A webhook endpoint does not answer',
        `Deliveries to this endpoint keep failing. They are tried again, and the endpoint is disabled when nothing arrives for long:\n${url} (${MODES.en[environment]})`,
        `What it answered:\n${link}`,
        `You choose here which mails you get:\n${profile}`,
      ),
    (url, environment, link, profile) =>
      written(
        'Un endpoint de webhooks ne répond pas',
        `Les livraisons vers cet endpoint échouent. Elles sont retentées, et l’endpoint sera désactivé si rien n’arrive pendant longtemps :\n${url} (${MODES.fr[environment]})`,
        `Ce qu’il a répondu :\n${link}`,
        `Choisissez ici les e-mails que vous recevez :\n${profile}`,
      ),
  ],
  endpoint_disabled: [
    (url: string, environment: Environment, link: string, profile: string) =>
      written(
        'A webhook endpoint was disabled',
        `Deliveries to this endpoint kept failing, or it answered that it is gone, so nothing is sent to it any more:\n${url} (${MODES.en[environment]})`,
        `Enable it here when it works, and have sent again what it missed:\n${link}`,
        `You choose here which mails you get:\n${profile}`,
      ),
    (url, environment, link, profile) =>
      written(
        'Un endpoint de webhooks a été désactivé',
        `Les livraisons vers cet endpoint échouaient, ou il a répondu qu’il n’existe plus : plus rien ne lui est envoyé.\n${url} (${MODES.fr[environment]})`,
        `Réactivez-le ici quand il fonctionne, et renvoyez ce qu’il a manqué :\n${link}`,
        `Choisissez ici les e-mails que vous recevez :\n${profile}`,
      ),
  ],
  approval: [
    (amount: string | null, requested_by: string, link: string) =>
      written(
        `A decision waits for you: ${amount ?? 'a setting'}`,
        `${requested_by} has asked for a decision about ${amount ?? 'a setting'}, which takes a second operator:`,
        link,
      ),
    (amount, requested_by, link) =>
      written(
        `Une décision vous attend : ${amount ?? 'un réglage'}`,
        `${requested_by} demande une décision portant sur ${amount ?? 'un réglage'}, qui exige un second opérateur :`,
        link,
      ),
  ],
  payout: [
    (amount: string, username: string, link: string) =>
      written(
        `A payout waits for your approval: ${amount}`,
        `A payout of ${amount} from the account ${username} is sent once it is approved. Without approval it is canceled after seven days, and the money is back in the wallet:`,
        link,
      ),
    (amount, username, link) =>
      written(
        `Un envoi attend votre approbation : ${amount}`,
        `Un envoi de ${amount} depuis le compte ${username} partira dès qu’il sera approuvé. Sans approbation, il est annulé au bout de sept jours et l’argent revient dans le portefeuille :`,
        link,
      ),
  ],
  payout_batch: [
    (count: number, sums: string, username: string, link: string) => {
      const payouts = counted('en', count, 'payout', 'payouts');
      return written(
        `A payout batch waits for your approval: ${payouts}, ${sums}`,
        `Nothing of a payout batch of the account ${username} (${payouts}, ${sums}) is sent before it is approved. Without approval it is canceled after seven days, and nobody is paid:`,
        link,
      );
    },
    (count, sums, username, link) => {
      const payouts = counted('fr', count, 'envoi', 'envois');
      return written(
        `Des envois groupés attendent votre approbation : ${payouts}, ${sums}`,
        `Les envois groupés du compte ${username} (${payouts}, ${sums}) ne partiront pas avant d’être approuvés. Sans approbation, ils sont annulés au bout de sept jours et personne n’est payé :`,
        link,
      );
    },
  ],
  payouts: [
    (count: number, username: string, lines: string) =>
      written(
        `Waiting for your approval: ${counted('en', count, 'order', 'orders')} of payouts`,
        `They are sent from the account ${username} once they are approved. Without approval they are canceled after seven days, and the money is back in the wallet:`,
        lines,
      ),
    (count, username, lines) =>
      written(
        `En attente de votre approbation : ${counted('fr', count, 'ordre', 'ordres')} d’envoi`,
        `Compte ${username}\u00a0: ils partiront une fois approuvés. Sans approbation, ils sont annulés au bout de sept jours et l’argent revient dans le portefeuille :`,
        lines,
      ),
  ],
  key_expiry: [
    (
      key: string,
      username: string,
      environment: Environment,
      expires_at: string | null,
      page: string,
    ) =>
      expires_at === null
        ? written(
            'An API key has expired',
            `The API key ${key} of the account ${username} (${MODES.en[environment]}) has expired: requests with it are refused. Make a new one here if your programs still need it:`,
            page,
          )
        : written(
            'An API key expires soon',
            `The API key ${key} of the account ${username} (${MODES.en[environment]}) expires on ${expires_at}. From then on requests with it are refused. Rotate it or change its expiry here:`,
            page,
          ),
    (key, username, environment, expires_at, page) =>
      expires_at === null
        ? written(
            'Une clé d’API a expiré',
            `La clé d’API ${key} du compte ${username} (${MODES.fr[environment]}) a expiré : les requêtes qui l’utilisent sont refusées. Créez-en une nouvelle ici si vos programmes en ont encore besoin :`,
            page,
          )
        : written(
            'Une clé d’API expire bientôt',
            `La clé d’API ${key} du compte ${username} (${MODES.fr[environment]}) expire le ${expires_at}. Ensuite, les requêtes qui l’utilisent seront refusées. Renouvelez-la ou changez sa date d’expiration ici :`,
            page,
          ),
  ],
  payout_rules: [
    (username: string, currency: string, changed_by: string, page: string) =>
      written(
        `The rule of payouts was changed: ${username}`,
        `${changed_by} has changed which payouts of the account ${username} in ${currency} need an approval, or their limits. Every owner is told. If this was not agreed, look at it at once:`,
        page,
      ),
    (username, currency, changed_by, page) =>
      written(
        `La règle des envois a changé : ${username}`,
        `${changed_by} a modifié la règle d’approbation ou les plafonds des envois en ${currency} du compte ${username}. Tous les propriétaires en sont informés. Si ce n’était pas convenu, vérifiez-le aussitôt :`,
        page,
      ),
  ],
  owner_made: [
    (username: string, person: string, made_by: string, page: string) =>
      written(
        `The owners of the account ${username} have changed`,
        `There is a new owner of the account ${username}: ${person}. It was done by ${made_by}. Owners approve payouts, change their rule, and make and remove owners. Every owner is told. If this was not agreed, look at it at once:`,
        page,
      ),
    (username, person, made_by, page) =>
      written(
        `Les propriétaires du compte ${username} ont changé`,
        `${made_by} a confié à ${person} le rôle de propriétaire du compte ${username}. Les propriétaires approuvent les envois, en modifient la règle, nomment d’autres propriétaires et les retirent. Tous les propriétaires en sont informés. Si ce n’était pas convenu, vérifiez-le aussitôt :`,
        page,
      ),
  ],
  owner_removed: [
    (username: string, person: string, removed_by: string, page: string) =>
      written(
        `The owners of the account ${username} have changed`,
        person === removed_by
          ? `${person} has given up the role of owner of the account ${username}. Every owner is told. If this was not agreed, look at it at once:`
          : `${removed_by} has taken the role of owner of the account ${username} from ${person}. Every owner is told. If this was not agreed, look at it at once:`,
        page,
      ),
    (username, person, removed_by, page) =>
      written(
        `Les propriétaires du compte ${username} ont changé`,
        person === removed_by
          ? `${person} a renoncé au rôle de propriétaire du compte ${username}. Tous les propriétaires en sont informés. Si ce n’était pas convenu, vérifiez-le aussitôt :`
          : `${removed_by} a retiré à ${person} le rôle de propriétaire du compte ${username}. Tous les propriétaires en sont informés. Si ce n’était pas convenu, vérifiez-le aussitôt :`,
        page,
      ),
  ],
  rights_ended: [
    (username: string, person: string, changed_by: string, lines: string, page: string) =>
      written(
        `What ${person} could do in the account ${username} has ended`,
        [
          person === changed_by
            ? `${person} has left the account ${username}.`
            : `${changed_by} has changed the role of ${person} in the account ${username}, or removed this person.`,
          lines,
          'A program that used such a key needs another one.',
        ].join('\n'),
        page,
      ),
    (username, person, changed_by, lines, page) =>
      written(
        `Les droits de ${person} dans le compte ${username} ont pris fin`,
        [
          person === changed_by
            ? `${person} a quitté le compte ${username}.`
            : `${changed_by} a changé le rôle de ${person} dans le compte ${username}, ou retiré cette personne.`,
          lines,
          'Un programme qui utilisait une telle clé a besoin d’une autre.',
        ].join('\n'),
        page,
      ),
  ],
  keys_revoked: [
    (names: string) => `API keys that are revoked: ${names}.`,
    (names) => `Clés d’API révoquées : ${names}.`,
  ],
  keys_cut: [
    (names: string) => `API keys that can no longer do what the new role does not allow: ${names}.`,
    (names) =>
      `Clés d’API qui ne peuvent plus faire ce que le nouveau rôle n’autorise pas : ${names}.`,
  ],
  invitations_ended: [
    (addresses: string) => `Invitations that are withdrawn: ${addresses}.`,
    (addresses) => `Invitations retirées : ${addresses}.`,
  ],
});
