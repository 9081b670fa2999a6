import { translate } from '../../domain/language';

export const WORDS = translate(
  {
    sign_in: 'Sign in',
    email_or_username: 'E-mail address or username',
    password: 'Password',
    wrong:
      'These do not belong together. Check the name and the password. An e-mail address works once it is confirmed: until then, use your username.',
    no_account: 'No account yet?',
    sign_up: 'Create an account',
    forgotten: 'Forgotten your password?',
    made: 'Your account is ready. Sign in with your username. With your e-mail address it works once you have confirmed it: we have sent you a message.',
    email: 'E-mail address',
    username: 'Username',
    username_hint: 'Others send you money by it. 3 to 32 lower-case letters, digits, and . _ -',
    first_name: 'First name',
    last_name: 'Last name',
    country: 'Country',
    new_password_hint: 'At least 8 characters. A few words make a good one.',
    confirmed: 'Your e-mail address is confirmed.',
    reset_done:
      'Your password is changed, and every browser is signed out. Sign in with the new one.',
    signed_out: 'You are signed out on every browser.',
    confirm_email: 'Confirm your e-mail address',
    confirm_lead: 'Press the button to confirm that this address is yours.',
    confirm_button: 'Confirm',
    dead_link:
      'This link does not work any more: it was used, it is too old, or another account has confirmed the address. Ask for a new one.',
    to_sign_in: 'To the dashboard',
    forgotten_title: 'Forgotten password',
    forgotten_lead: 'We send you a link to choose a new password.',
    send_link: 'Send the link',
    reset_sent:
      'If there is such an account, we have sent a link to its address. It works for one hour.',
    reset_title: 'Choose a new password',
    new_password: 'New password',
    set_password: 'Set the password',
    first_key: 'Your first test key.',
    have_account: 'You have an account?',
    faults: {
      invalid_username:
        'Use 3 to 32 lower-case letters, digits, dots, hyphens or underscores, and begin with a letter or digit.',
      username_taken: 'This username is taken.',
      invalid_email: 'This is not an e-mail address.',
      invalid_country: 'Choose a country.',
      short_password: 'Use at least 8 characters.',
      long_password: 'Use at most 1,000 characters.',
      common_password:
        'This is one of the most common passwords, which are tried first: use another.',
      own_name_password: 'Others know your name and address: use something else.',
      invalid_name: 'Use letters and spaces, at most 100 characters in both names together.',
    },
  },
  {
    sign_in: 'Se connecter',
    email_or_username: 'Adresse e-mail ou nom d’utilisateur',
    password: 'Mot de passe',
    wrong:
      'Ces données ne vont pas ensemble. Vérifiez le nom et le mot de passe. L’adresse e-mail fonctionne une fois confirmée : d’ici là, utilisez votre nom d’utilisateur.',
    no_account: 'Pas encore de compte ?',
    sign_up: 'Créer un compte',
    forgotten: 'Mot de passe oublié ?',
    made: 'Votre compte est prêt. Connectez-vous avec votre nom d’utilisateur. Avec votre adresse e-mail, ce sera possible une fois qu’elle sera confirmée : nous vous avons envoyé un message.',
    email: 'Adresse e-mail',
    username: 'Nom d’utilisateur',
    username_hint:
      'On vous envoie de l’argent par ce nom. 3 à 32 lettres minuscules, chiffres, et . _ -',
    first_name: 'Prénom',
    last_name: 'Nom',
    country: 'Pays',
    new_password_hint: 'Au moins 8 caractères. Quelques mots en font un bon.',
    confirmed: 'Votre adresse e-mail est confirmée.',
    reset_done:
      'Votre mot de passe est modifié et tous les navigateurs sont déconnectés. Connectez-vous avec le nouveau.',
    signed_out: 'Vous êtes déconnecté sur tous les navigateurs.',
    confirm_email: 'Confirmez votre adresse e-mail',
    confirm_lead: 'Appuyez sur le bouton pour confirmer que cette adresse est la vôtre.',
    confirm_button: 'Confirmer',
    dead_link:
      'Ce lien ne fonctionne plus : il a déjà servi, il est trop ancien, ou un autre compte a confirmé l’adresse. Demandez-en un nouveau.',
    to_sign_in: 'Vers le tableau de bord',
    forgotten_title: 'Mot de passe oublié',
    forgotten_lead: 'Nous vous envoyons un lien pour choisir un nouveau mot de passe.',
    send_link: 'Envoyer le lien',
    reset_sent:
      'Si ce compte existe, nous avons envoyé un lien à son adresse. Il est valable une heure.',
    reset_title: 'Choisissez un nouveau mot de passe',
    new_password: 'Nouveau mot de passe',
    set_password: 'Enregistrer le mot de passe',
    first_key: 'Votre première clé de test.',
    have_account: 'Vous avez un compte ?',
    faults: {
      invalid_username:
        'Utilisez 3 à 32 lettres minuscules, chiffres, points, tirets ou traits bas, en commençant par une lettre ou un chiffre.',
      username_taken: 'Ce nom d’utilisateur est déjà pris.',
      invalid_email: 'Ce n’est pas une adresse e-mail.',
      invalid_country: 'Choisissez un pays.',
      short_password: 'Utilisez au moins 8 caractères.',
      long_password: 'Utilisez au plus 1 000 caractères.',
      common_password:
        'C’est l’un des mots de passe les plus courants, essayés en premier : choisissez-en un autre.',
      own_name_password:
        'D’autres connaissent votre nom et votre adresse : choisissez autre chose.',
      invalid_name:
        'Utilisez des lettres et des espaces, 100 caractères au plus pour le prénom et le nom ensemble.',
    },
  },
);
