import { translate } from '../../domain/language';

export const WORDS = translate(
  {
    overview: 'Overview',
    no_account: 'You belong to no account. Ask its owner for an invitation.',
    welcome: 'Your first call',
    lead: 'Your sandbox wallets hold test money. Paste this into a terminal; after your first call this page becomes your overview.',
    curl: 'A first call with curl',
    key_is_in_it: 'Your new key is in it already.',
    your_key: 'Replace YOUR_TEST_KEY by a test key: keys are shown only when they are made.',
    make_key: 'Make a test key',
    wallets: 'Wallets',
  },
  {
    overview: 'Vue d’ensemble',
    no_account: 'Vous n’appartenez à aucun compte. Demandez une invitation à son propriétaire.',
    welcome: 'Votre premier appel',
    lead: 'Vos portefeuilles de test contiennent de l’argent fictif. Collez ceci dans un terminal ; après votre premier appel, cette page devient votre vue d’ensemble.',
    curl: 'Un premier appel avec curl',
    key_is_in_it: 'Votre nouvelle clé y figure déjà.',
    your_key:
      'Remplacez YOUR_TEST_KEY par une clé de test : une clé n’est affichée qu’à sa création.',
    make_key: 'Créer une clé de test',
    wallets: 'Portefeuilles',
  },
);
