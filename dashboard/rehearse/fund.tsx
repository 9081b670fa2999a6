// Play money: a wallet of the sandbox is credited, once for each draft.

import type { VNode } from 'preact';
import { FUNDS_A_DAY, MAX_FUND } from '../../db/sandbox/fund';
import { CURRENCIES } from '../../domain/currency';
import { Refusal } from '../../domain/refusal';
import { readAmountField } from '../../pages/amounts';
import { CURRENCY_LABELS, formatMoney } from '../../pages/formats';
import { fundWallet } from '../../use-cases/sandbox/fund';
import { AmountField } from '../amount-field';
import { seeOther, type DraftVisit, type MemberVisit } from '../context';
import { idOf, draftOrder } from '../drafts';
import { ActionButton, Button, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { Notice } from '../parts';
import type { Submit } from './rehearse';
import { WORDS } from './words';

const PATH = '/rehearse/fund';

export function Fund({
  funded,
}: {
  /** How often in the last 24 hours. */
  readonly funded: number;
}) {
  const words = WORDS[useFrame().language];
  const left = Math.max(0, FUNDS_A_DAY - funded);
  return (
    <>
      <h2 id="fund">{words.fund}</h2>
      <p class="lead">{words.fund_lead(left, FUNDS_A_DAY)}</p>
      {left === 0 && <Notice tone="warn">{words.no_funds_left}</Notice>}
      {left > 0 && (
        <Form action={PATH} class="card">
          <Select
            name="currency"
            label={words.currency}
            value="XOF"
            options={CURRENCIES.map((value) => ({ value, label: CURRENCY_LABELS[value] }))}
          />
          <AmountField label={words.amount} />
          <Button>{words.add}</Button>
        </Form>
      )}
    </>
  );
}

export const submitFund: Submit<DraftVisit> = async (dependencies, visit) => {
  const { form, language } = visit;
  const words = WORDS[language];
  const typed = { amount: form.get('amount') ?? '', currency: form.get('currency') ?? '' };
  const read = readAmountField(language, typed, MAX_FUND);
  if (!read.ok) return { [read.param]: read.fault };
  const { amount, text, currency } = read;
  try {
    const order = { ...draftOrder(visit), currency, amount_text: text };
    const id = idOf(await fundWallet(dependencies, order));
    const notice = words.funded(formatMoney(language, amount, currency));
    return seeOther('/rehearse', { flash: { notice }, subject: `transaction/${id}` });
  } catch (error) {
    const code = error instanceof Refusal ? error.code : undefined;
    if (code === 'rate_limited') return { amount: words.no_funds_left };
    if (code === 'invalid_request') return { amount: words.wallet_full };
    throw error;
  }
};

/** The same order of the same draft, when its outcome is not known; undefined for the other forms. */
export function askAgain({ form, language }: MemberVisit): VNode | undefined {
  const [amount, currency] = [form.get('amount'), form.get('currency') ?? ''];
  if (amount === null) return undefined;
  const fields = { currency, amount };
  return (
    <ActionButton action={PATH} fields={fields}>
      {WORDS[language].ask_again}
    </ActionButton>
  );
}
