// Every page for operators.

import { ACCOUNT_LIMIT_ROUTES } from './account-limit-forms';
import { ACCOUNT_ROUTES } from './accounts';
import { APPROVAL_ROUTES } from './approvals';
import { AUDIT_ROUTES } from './audit';
import { CREDIT_ROUTES } from './credits';
import { DELIVERY_ROUTES } from './deliveries';
import { OPERATOR_DISPUTE_ROUTES } from './disputes';
import { withSections } from './frame';
import { HOME_ROUTES } from './home';
import { IDENTITY_CHECK_ROUTES } from './identity-checks';
import { PAYMENT_ROUTES } from './payments';
import { PAYOUT_ROUTES } from './payouts';
import { RECONCILIATION_ROUTES } from './reconciliations';
import { RISK_ROUTES } from './risk';
import { SEARCH_ROUTES } from './search';
import { SAFEGUARDING_ROUTES } from './safeguarding';
import { SUSPENSE_ROUTES } from './suspense';
import { TREASURY_ROUTES } from './treasury';

export const OPERATOR_ROUTES = [
  ...HOME_ROUTES,
  ...ACCOUNT_ROUTES,
  ...ACCOUNT_LIMIT_ROUTES,
  ...CREDIT_ROUTES,
  ...IDENTITY_CHECK_ROUTES,
  ...SUSPENSE_ROUTES,
  ...RISK_ROUTES,
  ...OPERATOR_DISPUTE_ROUTES,
  ...PAYMENT_ROUTES,
  ...PAYOUT_ROUTES,
  ...TREASURY_ROUTES,
  ...SAFEGUARDING_ROUTES,
  ...APPROVAL_ROUTES,
  ...DELIVERY_ROUTES,
  ...RECONCILIATION_ROUTES,
  ...AUDIT_ROUTES,
  ...SEARCH_ROUTES,
].map(withSections);
