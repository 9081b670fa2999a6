// Money for rehearsals, and the values that mean something in the sandbox.

import { FUNDS_A_DAY, MAX_FUND } from '../../db/sandbox/fund';
import { FAULT_FORMS } from '../../domain/fault';
import { amountJson } from '../../domain/money';
import { TEST_BUTTONS, TEST_DELAY_MS, TEST_REFUNDS } from '../../domain/test-values';
import { PAYING_PHONES, TEST_PHONES, type TestPhone } from '../../domain/test-phones';
import type { Language } from '../../domain/language';
import { fundWallet } from '../../use-cases/sandbox/fund';
import { orderOf, orderResponse } from '../order';
import { routesOf } from '../route';
import { success } from '../success';
import { transaction } from '../transactions/schema';
import { fundBody, testValuesResponse } from './schema';

function showPhones(phones: readonly TestPhone<string>[], language: Language) {
  return phones.map(({ digits, outcome, ...words }) => ({
    digits,
    outcome,
    meaning: words[language],
  }));
}

const on = routesOf('Sandbox');

export const sandboxValueRoutes = [
  on.post('/sandbox/fund', {
    summary: 'Put money of the sandbox into a wallet',
    description: `Answers the transaction, of the type \`adjustment\`. At most ${FUNDS_A_DAY} times in 24 hours for an account.`,
    scope: 'sandbox',
    sandbox_only: true,
    idempotent: 'sandbox_fund',
    body: fundBody,
    status: 201,
    response: transaction,
    errors: ['limit_exceeded'],
    handler: async function fundSandboxWallet(dependencies, request) {
      const { body, numbers } = request;
      const amount_text = numbers.get('/amount') ?? '';
      const order = { ...orderOf(request), currency: body.currency, amount_text };
      return orderResponse(await fundWallet(dependencies, order));
    },
  }),
  on.get('/sandbox/test-values', {
    summary: 'The values that mean something in the sandbox',
    description:
      'Phones that are paid and that pay, the buttons and fields of the simulated checkout, and faults; in French with `Accept-Language: fr`.',
    sandbox_only: true,
    response: testValuesResponse,
    handler: function getTestValues(_dependencies, { language }) {
      return success({
        phones: showPhones(TEST_PHONES, language),
        paying_phones: showPhones(PAYING_PHONES, language),
        buttons: TEST_BUTTONS.map(({ action, ...words }) => ({ action, meaning: words[language] })),
        refunds: TEST_REFUNDS.map(({ refunds, ...words }) => ({
          refunds,
          meaning: words[language],
        })),
        delay_ms: TEST_DELAY_MS,
        faults: FAULT_FORMS,
        fund: { maximum: amountJson(MAX_FUND), a_day: FUNDS_A_DAY },
      });
    },
  }),
];
