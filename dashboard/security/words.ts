import { formatCount, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  verified: ['Confirmed', 'Confirmée'],
  unverified: ['Not confirmed', 'Non confirmée'],
  resend: ['Send the link again', 'Renvoyer le lien'],
  resent: [
    'We have sent a link to your e-mail address.',
    'Nous avons envoyé un lien à votre adresse e-mail.',
  ],
  resent_limit: [
    'This address has had several messages lately. Look there, or try again later.',
    'Cette adresse a reçu plusieurs messages récemment. Consultez-les, ou réessayez plus tard.',
  ],
  old_password: ['Your password', 'Votre mot de passe'],
  new_password_hint: [
    'At least 8 characters. All other browsers are signed out.',
    'Au moins 8 caractères. Tous les autres navigateurs sont déconnectés.',
  ],
  change_password: ['Change the password', 'Modifier le mot de passe'],
  password_changed: [
    'Your password is changed. All other browsers are signed out.',
    'Votre mot de passe est modifié. Tous les autres navigateurs sont déconnectés.',
  ],
  wrong_password: ['This is not your password.', 'Ce n’est pas votre mot de passe.'],
  totp_off: [
    'Off: the password alone is enough to sign in.',
    'Désactivé : le mot de passe suffit pour se connecter.',
  ],
  totp_on: [
    'On: signing in takes a code from your app.',
    'Activé : la connexion demande un code de votre application.',
  ],
  confirm_first: [
    'Confirm your e-mail address first: a second factor needs one.',
    'Confirmez d’abord votre adresse e-mail : sans elle, pas de code de sécurité.',
  ],
  set_up: ['Set up an authenticator app', 'Configurer une application d’authentification'],
  scan: [
    'Scan this picture with an authenticator app, such as Aegis, FreeOTP or Google Authenticator, or type the key into it.',
    'Scannez cette image avec une application d’authentification, comme Aegis, FreeOTP ou Google Authenticator, ou saisissez-y la clé.',
  ],
  qr_label: ['QR code of the key below', 'Code QR de la clé ci-dessous'],
  code: ['Code', 'Code'],
  code_hint: [
    'The six digits that the app shows now.',
    'Les six chiffres que l’application affiche maintenant.',
  ],
  any_code_hint: [
    'Six digits from your app, or a recovery code.',
    'Six chiffres de votre application, ou un code de secours.',
  ],
  confirm: ['Switch on', 'Activer'],
  wrong_code: [
    'This code is wrong, or was used already. Use the one that the app shows now.',
    'Ce code est faux ou a déjà servi. Utilisez celui que l’application affiche maintenant.',
  ],
  switched_on: [
    'Signing in now takes a code. Other browsers are signed out. Keep the recovery codes where you find them without your phone.',
    'La connexion demande désormais un code. Les autres navigateurs sont déconnectés. Gardez les codes de secours là où vous les trouverez sans votre téléphone.',
  ],
  file: ['recovery-codes.txt', 'codes-de-secours.txt'],
  open_app: ['The app is on this device: open it', 'L’application est sur cet appareil : l’ouvrir'],
  recovery_codes: [
    'Recovery codes, each works once.',
    'Codes de secours, chacun ne sert qu’une fois.',
  ],
  recovery_left: [
    (count: number) => `Recovery codes left: ${formatCount('en', count)}.`,
    (count) => `Codes de secours restants : ${formatCount('fr', count)}.`,
  ],
  new_codes: ['Create new recovery codes', 'Créer de nouveaux codes de secours'],
  new_codes_done: [
    'The old recovery codes are worth nothing from now on.',
    'Les anciens codes de secours ne valent plus rien.',
  ],
  switch_off: ['Switch off', 'Désactiver'],
  switched_off: ['Signing in takes no code any more.', 'La connexion ne demande plus de code.'],
  sessions: ['Signed-in browsers', 'Navigateurs connectés'],
  browser: ['Browser', 'Navigateur'],
  since: ['Signed in', 'Connecté'],
  seen: ['Last used', 'Dernière utilisation'],
  this_one: ['This browser', 'Ce navigateur'],
  end: ['Sign out', 'Déconnecter'],
  ended: ['That browser is signed out.', 'Ce navigateur est déconnecté.'],
  end_all: ['Sign out everywhere', 'Se déconnecter partout'],
  unknown_browser: ['Unknown browser', 'Navigateur inconnu'],
  ask_again: ['Is it you?', 'Est-ce bien vous ?'],
  ask_password: [
    'What you are about to do needs your password. What you have entered is kept.',
    'Cette opération demande votre mot de passe. Ce que vous avez saisi est conservé.',
  ],
  ask_code: [
    'What you are about to do needs a code. What you have entered is kept.',
    'Cette opération demande un code. Ce que vous avez saisi est conservé.',
  ],
  sign_in_code: ['Enter your code', 'Saisissez votre code'],
});
