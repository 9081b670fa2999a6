// Sending money: a form, what it would come to, and the transfer.

import { formRoute, pageRoute, seeOther, type Answer } from '../context';
import { showForm } from './form';
import { preview } from './preview';
import { REVERSAL_ROUTES } from './reversal';
import { send } from './send';
import { showTransfer } from './transfer';

/** Leads back to the form: the switch of environments returns to the path of an answered form. */
function toForm(): Answer {
  return seeOther('/transfers/new');
}

export const TRANSFER_ROUTES = [
  pageRoute('/transfers/new', 'money', showForm),
  pageRoute('/transfers/preview', 'money', toForm),
  formRoute('/transfers/preview', 'money', null, preview),
  pageRoute('/transfers', 'money', toForm),
  formRoute('/transfers', 'money', 'transfers.send', send, 'in_live'),
  pageRoute('/transfers/:reference', 'read', showTransfer),
  ...REVERSAL_ROUTES,
];
