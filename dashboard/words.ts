// The texts that every page has. Those of a topic stand beside its pages.

import { counted, translate } from '../domain/language';
import { VOCABULARY } from '../domain/vocabulary';

export const WORDS = translate({
  ...VOCABULARY,
  product: ['Payments', 'Paiements'],
  skip: ['Skip to content', 'Aller au contenu'],
  navigation: ['Pages', 'Pages'],
  menu: ['Menu', 'Menu'],
  parent: ['Part of', 'Fait partie de'],
  overview: ['Overview', 'Accueil'],
  transfers: ['Transfer to an account', 'Transférer à un compte'],
  payout_batches: ['Payout batches', 'Envois groupés'],
  pay_someone: ['Payouts', 'Payer quelqu’un'],
  reusable_links: ['Reusable links', 'Liens réutilisables'],
  rehearse: ['Rehearse', 'Simulations'],
  guides: ['Guides', 'Guides'],
  group_money: ['Money', 'Argent'],
  for_developers: ['For developers', 'Pour les développeurs'],
  identity: ['Identity check', 'Vérification d’identité'],
  group_account: ['Account', 'Compte'],
  sign_out: ['Sign out', 'Se déconnecter'],
  switch_account: ['Switch account', 'Changer de compte'],
  live: ['Live', 'Mode réel'],
  may_go_live: ['You can take real money', 'Vous pouvez encaisser de l’argent réel'],
  may_go_live_text: [
    'Your identity check is approved. Links and posters of test mode can be made again in live mode.',
    'Votre vérification d’identité est approuvée. Les liens et affiches du mode test peuvent être refaits en mode réel.',
  ],
  go_live: ['Switch to live mode', 'Passer en mode réel'],
  sandbox: ['Sandbox', 'Mode test'],
  live_band: ['Live: real money', 'Mode réel : opérations en argent réel'],
  sandbox_band: ['Sandbox: no real money', 'Mode test : sans argent réel'],
  operators_band: [
    'Operators: all accounts, live and sandbox',
    'Opérateurs : tous les comptes, en mode réel et en mode test',
  ],
  frozen_band: [
    'This account is frozen: keys are refused and nothing can be sent. Contact the operator of this service.',
    'Ce compte est gelé : les clés sont refusées et rien ne peut être envoyé. Contactez l’opérateur de ce service.',
  ],
  copy: ['Copy', 'Copier'],
  copied: ['Copied', 'Copié'],
  save: ['Save as a file', 'Enregistrer dans un fichier'],
  technical: ['Technical details', 'Détails techniques'],
  shown_once: {
    key: ['Shown only this once: copy it now.', 'Affichée une seule fois : copiez-la maintenant.'],
    secret: [
      'Shown only this once: copy it now.',
      'Affiché une seule fois : copiez-le maintenant.',
    ],
    codes: [
      'Shown only this once: copy them now.',
      'Affichés une seule fois : copiez-les maintenant.',
    ],
  },
  show_password: ['Show', 'Afficher'],
  hide_password: ['Hide', 'Masquer'],
  other_language: ['Français', 'English'],
  cancel: ['Cancel', 'Annuler'],
  back: ['Back', 'Retour'],
  nothing: ['Nothing here yet.', 'Rien pour le moment.'],
  filters: ['Filters', 'Filtres'],
  older: ['Older', 'Plus anciens'],
  newest: ['Newest', 'Plus récents'],
  updates: ['Updates by itself.', 'Mise à jour automatique.'],
  reload: ['Reload', 'Recharger'],
  error_404: ['Page not found', 'Page introuvable'],
  error_404_text: [
    'There is no such page, or it belongs to another account.',
    'Cette page n’existe pas, ou appartient à un autre compte.',
  ],
  error_403: ['Not allowed', 'Non autorisé'],
  error_403_text: [
    'Your role in this account does not allow this. Ask one of its owners.',
    'Votre rôle dans ce compte ne le permet pas. Adressez-vous à un de ses propriétaires.',
  ],
  error_own_account_text: [
    'You belong to this account, and operators do not decide about their own. Another operator can. Nothing was changed.',
    'Vous appartenez à ce compte, et personne ne décide de son propre compte. Un autre opérateur peut le faire. Rien n’a été modifié.',
  ],
  error_operators_login_text: [
    'You are an operator. Operators sign in where the operators’ pages are served, and this server serves none. Nothing was changed.',
    'Vous êtes opérateur. Les opérateurs se connectent là où leurs pages sont proposées, ce qui n’est pas le cas sur ce serveur. Rien n’a été modifié.',
  ],
  error_identity: ['Identity check needed', 'Vérification d’identité requise'],
  error_identity_text: [
    'Live money is asked for and sent only from an account whose identity check is approved. What arrives waits in your wallet. In the test environment everything works without it.',
    'Pour demander ou envoyer de l’argent réel, l’identité du compte doit être vérifiée. Ce que vous recevez reste dans votre portefeuille. En mode test, tout fonctionne sans cette vérification.',
  ],
  identity_in_review: [
    'Your details are in review since',
    'Vos informations sont en cours d’examen depuis le',
  ],
  to_identity_check: ['To the identity check', 'Vers la vérification d’identité'],
  error_factor: ['Second factor needed', 'Code de sécurité requis'],
  error_factor_text: [
    'Operators’ pages open only after a code. Set up a second factor, then sign out and sign in again with it.',
    'Les pages des opérateurs ne s’ouvrent qu’après un code. Configurez un code de sécurité, puis déconnectez-vous et reconnectez-vous avec lui.',
  ],
  error_form: ['The form is out of date', 'Le formulaire n’est plus valable'],
  error_form_text: [
    'It was not sent from a page of this session. Nothing was changed. Open the page again and repeat.',
    'Il n’a pas été envoyé depuis une page de cette session. Rien n’a été modifié. Rouvrez la page et recommencez.',
  ],
  already_sent: [
    'This form has been sent already, and was carried out once: this is what became of it. For another one, open a new form.',
    'Ce formulaire a déjà été envoyé, et exécuté une seule fois : voici ce qu’il en est. Pour recommencer, ouvrez un nouveau formulaire.',
  ],
  same_before: [
    'You ordered the same amount for the same recipient a short time ago',
    'Vous avez demandé le même montant pour le même bénéficiaire il y a peu de temps',
  ],
  was_late: [
    'Your session had ended, so nothing was sent. Check what you had filled in, and send it again; a file has to be chosen again.',
    'Votre session avait pris fin : rien n’a été envoyé. Vérifiez ce que vous aviez saisi et envoyez-le à nouveau ; un fichier est à choisir de nouveau.',
  ],
  error_environment: [
    'You have switched meanwhile',
    'Vous avez changé de compte ou de mode entre-temps',
  ],
  error_environment_text: [
    (shown: string) =>
      `This form was opened in another account or environment; you are now in ${shown}. Nothing was changed. Open the page again and repeat.`,
    (shown) =>
      `Ce formulaire a été ouvert dans un autre compte ou un autre mode ; vous êtes maintenant dans ${shown}. Rien n’a été modifié. Rouvrez la page et recommencez.`,
  ],
  error_429: ['Too many requests', 'Trop de requêtes'],
  error_429_text: [
    (seconds: number) => `Please try again in ${counted('en', seconds, 'second', 'seconds')}.`,
    (seconds) => `Réessayez dans ${counted('fr', seconds, 'seconde', 'secondes')}.`,
  ],
  error_405: ['This page takes no such request', 'Cette page n’accepte pas cette requête'],
  error_405_text: [
    'Open it from its link or form.',
    'Ouvrez-la depuis son lien ou son formulaire.',
  ],
  error_421: ['Opened by another name', 'Ouverte sous un autre nom'],
  error_421_text: [
    (url: string) => `This page is at ${url}, and by no other name.`,
    (url) => `Cette page se trouve à ${url}, et sous aucun autre nom.`,
  ],
  error_413: ['Too much text', 'Texte trop long'],
  error_413_text: [
    'The form holds more than this page takes.',
    'Le formulaire contient plus de texte que cette page n’en accepte.',
  ],
  error_500: ['Something went wrong', 'Une erreur est survenue'],
  error_500_text: [
    (request_id: string) =>
      `The fault is ours, and it was recorded. Try again; if it stays, tell the operator the request id ${request_id}.`,
    (request_id) =>
      `L’erreur vient de nous et a été enregistrée. Réessayez ; si elle persiste, donnez à l’opérateur l’identifiant ${request_id}.`,
  ],
  error_503: ['Not available just now', 'Indisponible pour le moment'],
  error_503_text: [
    'The service cannot reach its database or its workflows. Try again in a few seconds.',
    'Le service ne joint pas sa base de données ou ses workflows. Réessayez dans quelques secondes.',
  ],
  error_busy_text: [
    'Many people are signing in at this moment. Try again in a few seconds.',
    'Beaucoup de personnes se connectent en ce moment. Réessayez dans quelques secondes.',
  ],
  to_overview: ['To the overview', 'Vers l’accueil'],
  carried_out: ['Done', 'C’est fait'],
});
