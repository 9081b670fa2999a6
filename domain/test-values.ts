// The results that a person can choose at the simulated gateway's checkout, in words for all lists.

interface Words {
  readonly en: string;
  readonly fr: string;
}

export interface TestButton extends Words {
  /** The simulator's name for it. */
  readonly action: string;
}

export interface TestRefunds extends Words {
  /** The checkout's field `refunds`, and a scene's. */
  readonly refunds: string;
}

export const TEST_BUTTONS: readonly TestButton[] = [
  {
    action: 'pay',
    en: 'One payment. Refunds of it then work, fail, or stay pending, as it was chosen.',
    fr: 'Un paiement. Ses remboursements aboutissent, échouent ou restent en attente, selon le choix fait.',
  },
  {
    action: 'pay_slowly',
    en: 'Pending now, paid after the chosen time, like a bank transfer.',
    fr: 'En attente, puis payé après le délai choisi, comme un virement.',
  },
  {
    action: 'decline_slowly',
    en: 'Pending now, refused for good after the chosen time.',
    fr: 'En attente, puis refusé définitivement après le délai choisi.',
  },
  {
    action: 'pay_notify_twice',
    en: 'One payment; the gateway sends its notification twice.',
    fr: 'Un paiement ; la passerelle envoie sa notification deux fois.',
  },
  {
    action: 'pay_twice',
    en: 'Two payments, each with its own id: the second one is a double payment.',
    fr: 'Deux paiements, chacun avec son identifiant : le second est un double paiement.',
  },
  {
    action: 'decline_retry',
    en: 'The attempt fails; the checkout stays open.',
    fr: 'La tentative échoue ; la page de paiement reste ouverte.',
  },
  {
    action: 'decline',
    en: 'The payment fails, and the checkout ends.',
    fr: 'Le paiement échoue, et la page de paiement est fermée.',
  },
  {
    action: 'come_back_later',
    en: 'The customer goes back without doing anything.',
    fr: 'Le client revient sans rien faire.',
  },
];

/** How the refunds of a payment go; without one of these they work at once. */
export const TEST_REFUNDS: readonly TestRefunds[] = [
  {
    refunds: 'slow',
    en: 'They wait, and work after the chosen time.',
    fr: 'Ils attendent, puis aboutissent après le délai choisi.',
  },
  {
    refunds: 'fail',
    en: 'They wait, and fail after the chosen time: the account that was paid from is closed.',
    fr: 'Ils attendent, puis échouent après le délai choisi\u00a0: le compte qui a payé est fermé.',
  },
  {
    refunds: 'fail_later',
    en: 'They work, and fail all the same after the chosen time.',
    fr: 'Ils aboutissent, puis échouent malgré tout après le délai choisi.',
  },
  {
    refunds: 'pending',
    en: 'They wait for ever.',
    fr: 'Ils attendent indéfiniment.',
  },
  {
    refunds: 'needs_customer',
    en: 'They wait for ever: the customer has to say to which account.',
    fr: 'Ils attendent indéfiniment que le client indique un compte.',
  },
];

/** The chosen time, in milliseconds. */
export const TEST_DELAY_MS = { default: 5_000, maximum: 24 * 60 * 60 * 1000 } as const;
