// Every page of the dashboard.

import { ACTIVITY_ROUTES } from './activity/activity';
import { AMOUNT_ROUTES } from './amount-field';
import { BATCH_ROUTES } from './batches/routes';
import { PAYOUT_BATCH_ROUTES } from './payout-batches/routes';
import type { DashboardRoute } from './context';
import { ENVIRONMENT_ROUTES } from './environment';
import { FEE_ROUTES } from './fees/fees';
import { MAILS_ROUTES } from './mails/mails';
import { DISPUTE_ROUTES } from './links/disputes-list';
import { LINK_ROUTES } from './links/routes';
import { GUIDE_ROUTES } from './guides/guides';
import { KEY_ROUTES } from './keys/keys';
import { OPERATOR_ROUTES } from './operators/routes';
import { OVERVIEW_ROUTES } from './overview/overview';
import { REHEARSE_ROUTES } from './rehearse/rehearse';
import { REQUEST_ROUTES } from './requests/requests';
import { REUSABLE_LINK_ROUTES } from './reusable-links/routes';
import { SECOND_FACTOR_ROUTES } from './security/second-factor';
import { SECURITY_ROUTES } from './security/security';
import { EMAIL_ROUTES } from './sign-in/email';
import { PASSWORD_ROUTES } from './sign-in/password';
import { PROFILE_ROUTES } from './profile/profile';
import { SIGN_IN_ROUTES } from './sign-in/sign-in';
import { SIGN_UP_ROUTES } from './sign-in/sign-up';
import { ACCOUNTS_ROUTES } from './team/accounts';
import { INVITATION_ROUTES } from './team/invitation';
import { PAYOUT_ROUTES } from './payouts/routes';
import { STATEMENT_ROUTES } from './statements/statements';
import { TEAM_ROUTES } from './team/team';
import { TRANSACTION_ROUTES } from './transactions/transactions';
import { TRANSFER_ROUTES } from './transfers/routes';
import { WALLET_ROUTES } from './wallets/wallets';
import { WEBHOOK_ROUTES } from './webhooks/routes';

export const ROUTES: readonly DashboardRoute[] = [
  ...SIGN_IN_ROUTES,
  ...SIGN_UP_ROUTES,
  ...EMAIL_ROUTES,
  ...PASSWORD_ROUTES,
  ...SECURITY_ROUTES,
  ...SECOND_FACTOR_ROUTES,
  ...TEAM_ROUTES,
  ...INVITATION_ROUTES,
  ...ACCOUNTS_ROUTES,
  ...ACTIVITY_ROUTES,
  ...ENVIRONMENT_ROUTES,
  ...MAILS_ROUTES,
  ...GUIDE_ROUTES,
  ...OVERVIEW_ROUTES,
  ...AMOUNT_ROUTES,
  ...PROFILE_ROUTES,
  ...OPERATOR_ROUTES,
  ...WALLET_ROUTES,
  ...TRANSACTION_ROUTES,
  ...STATEMENT_ROUTES,
  ...FEE_ROUTES,
  ...TRANSFER_ROUTES,
  ...PAYOUT_ROUTES,
  ...BATCH_ROUTES,
  ...PAYOUT_BATCH_ROUTES,
  ...LINK_ROUTES,
  ...REUSABLE_LINK_ROUTES,
  ...DISPUTE_ROUTES,
  ...KEY_ROUTES,
  ...WEBHOOK_ROUTES,
  ...REHEARSE_ROUTES,
  ...REQUEST_ROUTES,
];
