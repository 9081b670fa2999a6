// Money that leaves for a phone or a bank account: a list, a form, what the operator says of it, and the payout.

import { formRoute, pageRoute, seeOther, type Answer } from '../context';
import { check } from './check';
import { DECISION_ROUTES } from './decide';
import { showForm } from './form';
import { showPayout, watchPayout } from './payout';
import { exportFile, showPayouts } from './payouts';
import { send } from './send';
import { saveSettings, showSettings } from './settings';

/** Leads back to the form: the switch of environments returns to the path of an answered form. */
function toForm(): Answer {
  return seeOther('/payouts/new');
}

export const PAYOUT_ROUTES = [
  pageRoute('/payouts', 'read', showPayouts),
  pageRoute('/payouts.csv', 'export', exportFile),
  pageRoute('/payouts/new', 'money', showForm),
  pageRoute('/payouts/check', 'money', toForm),
  formRoute('/payouts/check', 'money', null, check),
  formRoute('/payouts', 'money', 'payouts.send', send, 'in_live'),
  pageRoute('/payouts/settings', 'profile', showSettings),
  formRoute('/payouts/settings', 'profile', 'payouts.settings', saveSettings, 'always'),
  pageRoute('/payouts/:reference', 'read', showPayout),
  pageRoute('/payouts/:reference/live', 'read', watchPayout),
  ...DECISION_ROUTES,
];
