// The reasons that keep money in a wallet, as codes of the refusal (`ledger_accounts.held_by`).

export type WalletHold = 'account_frozen' | 'kyc_required';
