import { counted, translate } from '../../domain/language';
import { VOCABULARY } from '../../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  email_or_username: ['E-mail address or username', 'Adresse e-mail ou nom d’utilisateur'],
  wrong: ['Wrong name or password.', 'Identifiant ou mot de passe incorrect.'],
  wrong_address: [
    'An e-mail address works once it is confirmed: until then, use your username.',
    'Une adresse e-mail fonctionne une fois confirmée : d’ici là, utilisez votre nom d’utilisateur.',
  ],
  wrong_password: ['Wrong password.', 'Mot de passe incorrect.'],
  no_account: ['No account yet?', 'Pas encore de compte ?'],
  forgotten: ['Forgotten your password?', 'Mot de passe oublié ?'],
  sent_title: ['Check your e-mails', 'Vérifiez vos e-mails'],
  sent: [
    'We have sent you a message. Open its link and press the button to sign in.',
    'Nous vous avons envoyé un message. Ouvrez son lien et appuyez sur le bouton pour vous connecter.',
  ],
  sent_to: [
    (email: string) =>
      `We have sent a message to ${email}. Open its link and press the button to sign in.`,
    (email) =>
      `Nous avons envoyé un message à ${email}. Ouvrez son lien et appuyez sur le bouton pour vous connecter.`,
  ],
  sent_again: ['The message was sent again.', 'Le message a été renvoyé.'],
  sent_address: ['Your e-mail address', 'Votre adresse e-mail'],
  sent_address_hint: ['Correct it here if it is wrong.', 'Corrigez-la ici si elle est fausse.'],
  send_again: ['Send again', 'Renvoyer'],
  again_in: [
    (seconds: number) =>
      `A message has just left. You can send it again in ${counted('en', seconds, 'second', 'seconds')}.`,
    (seconds) =>
      `Un message vient de partir. Vous pourrez le renvoyer dans ${counted('fr', seconds, 'seconde', 'secondes')}.`,
  ],
  again_faults: {
    invalid_email: ['This is not an e-mail address.', 'Ce n’est pas une adresse e-mail.'],
    mail_limit: [
      'Too many messages for now. Try again later.',
      'Trop de messages pour le moment. Réessayez plus tard.',
    ],
  },
  sent_hint: [
    'Nothing there after a few minutes? Look among unwanted mails.',
    'Rien après quelques minutes ? Regardez dans les courriers indésirables.',
  ],
  sent_now: [
    (name: string) =>
      `You need not wait: your username${name && ` ${name}`} and password open the sandbox now.`,
    (name) =>
      `Vous n’avez pas à attendre : votre nom d’utilisateur${name && ` ${name}`} et votre mot de passe ouvrent déjà le mode test.`,
  ],
  shop_name: ['Name of your shop', 'Nom de votre commerce'],
  shop_name_hint: [
    'Your customers see it when they pay. Empty: your own name.',
    'Vos clients le voient quand ils paient. Vide : votre propre nom.',
  ],
  password_again: ['Please type your password again.', 'Saisissez de nouveau votre mot de passe.'],
  username_hint: [
    'Leave it empty to have it made of your name: Fatou Diop becomes fatou.diop. You sign in with it, and others send you money by it.',
    'Laissez ce champ vide pour le tirer de votre nom : Fatou Diop devient fatou.diop. Il sert à vous connecter et à recevoir de l’argent.',
  ],
  own_phone: ['Phone number', 'Numéro de téléphone'],
  own_phone_hint: [
    'Your customers see it when they pay, to reach you. It may stay empty.',
    'Vos clients le voient quand ils paient, pour vous joindre. Il peut rester vide.',
  ],
  first_name: ['First name', 'Prénom'],
  last_name: ['Last name', 'Nom'],
  new_password_hint: [
    'At least 8 characters: a sentence of a few words is best.',
    'Au moins 8 caractères. Une phrase de quelques mots suffit.',
  ],
  confirmed: ['Your e-mail address is confirmed.', 'Votre adresse e-mail est confirmée.'],
  reset_done: [
    'Your password is changed, and every browser is signed out. Sign in with the new one.',
    'Votre mot de passe est modifié et tous les navigateurs sont déconnectés. Connectez-vous avec le nouveau.',
  ],
  signed_out: [
    'You are signed out on every browser.',
    'Votre session est fermée sur tous les navigateurs.',
  ],
  confirm_email: ['Confirm your e-mail address', 'Confirmez votre adresse e-mail'],
  confirm_lead: [
    (account: string) => `The account ${account} was created with this e-mail address.`,
    (account) => `Le compte ${account} a été créé avec cette adresse e-mail.`,
  ],
  confirm_password: [
    'The one that you chose when you created the account.',
    'Celui que vous avez choisi en créant le compte.',
  ],
  confirm_button: ['Confirm and sign in', 'Confirmer et se connecter'],
  not_you: [
    'If you did not create this account, close this page: nothing happens.',
    'Si vous n’avez pas créé ce compte, fermez cette page : il ne se passera rien.',
  ],
  dead_link: [
    'This link does not work any more: it was used, it is too old, or another account has confirmed the address. Ask for a new one.',
    'Ce lien ne fonctionne plus : il a déjà servi, il est trop ancien, ou un autre compte a confirmé l’adresse. Demandez-en un nouveau.',
  ],
  to_sign_in: ['To the dashboard', 'Vers le tableau de bord'],
  forgotten_title: ['Forgotten password', 'Mot de passe oublié'],
  forgotten_lead: [
    'We send you a link to choose a new password.',
    'Nous vous envoyons un lien pour choisir un nouveau mot de passe.',
  ],
  send_link: ['Send the link', 'Envoyer le lien'],
  reset_sent: [
    (typed: string) =>
      `If there is an account${typed && ` for ${typed}`}, we have sent a link to its address. It works for one hour. If nothing arrives, correct what you typed or send the link again.`,
    (typed) =>
      `${typed ? `Si le compte de « ${typed} » existe` : 'Si ce compte existe'}, nous avons envoyé un lien à son adresse. Il est valable une heure. Si rien n’arrive, corrigez votre saisie ou renvoyez le lien.`,
  ],
  reset_title: ['Choose a new password', 'Choisissez un nouveau mot de passe'],
  set_password: ['Set the password', 'Enregistrer le mot de passe'],
  have_account: ['You have an account?', 'Vous avez un compte ?'],
  faults: {
    invalid_username: [
      'Use 3 to 32 lower-case letters, digits, dots, hyphens or underscores, and begin with a letter or digit.',
      'Utilisez 3 à 32 lettres minuscules, chiffres, points, tirets ou traits bas, en commençant par une lettre ou un chiffre.',
    ],
    username_taken: ['This username is taken.', 'Ce nom d’utilisateur est déjà pris.'],
    invalid_email: ['This is not an e-mail address.', 'Ce n’est pas une adresse e-mail.'],
    invalid_country: ['Choose a country.', 'Choisissez un pays.'],
    short_password: ['Use at least 8 characters.', 'Utilisez au moins 8 caractères.'],
    long_password: ['Use at most 1,000 characters.', 'Utilisez au plus 1 000 caractères.'],
    common_password: [
      'This is one of the most common passwords, which are tried first: use another.',
      'C’est l’un des mots de passe les plus courants, essayés en premier : choisissez-en un autre.',
    ],
    own_name_password: [
      'The password contains your username or your e-mail address, which others know: choose another one.',
      'Le mot de passe contient votre nom d’utilisateur ou votre adresse e-mail, que d’autres connaissent : choisissez-en un autre.',
    ],
    invalid_display_name: [
      'Use letters and spaces, at most 100 characters.',
      'Utilisez des lettres et des espaces, 100 caractères au plus.',
    ],
    invalid_contact: [
      'Write a phone number in one line.',
      'Écrivez un numéro de téléphone sur une ligne.',
    ],
    invalid_name: [
      'Use letters and spaces, at most 100 characters in both names together.',
      'Utilisez des lettres et des espaces, 100 caractères au plus pour le prénom et le nom ensemble.',
    ],
  },
});
