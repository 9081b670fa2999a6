// What keeps money from leaving a wallet, as the code of the refusal (`ledger_accounts.held_by`).

export type WalletHold = 'account_frozen' | 'kyc_required';
