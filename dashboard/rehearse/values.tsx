// The values that mean something in the sandbox, and a call that uses each kind.

import { PAYING_PHONES, TEST_PHONES } from '../../domain/test-phones';
import { TEST_BUTTONS, TEST_REFUNDS } from '../../domain/test-values';
import { writeSamples, type SampleCall } from '../../pages/samples';
import { useFrame } from '../frame';
import { Reference, Samples, Table } from '../parts';
import { WORDS } from './words';

/** The place of a call, and what stands for the key. */
export type Sampled = Pick<SampleCall, 'base_url' | 'key'>;

const phoneOf = (digits: string): string => `+221770000${digits}`;

export function Values({ sample }: { readonly sample: Sampled }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const payout = {
    amount: 5000,
    currency: 'XOF',
    destination: { type: 'mobile_money', phone: phoneOf(TEST_PHONES[0]!.digits) },
    name: 'Awa Diop',
  };
  const link = { amount: 5000, currency: 'XOF', description: 'Order 1001' };
  return (
    <>
      <h2 id="values">{words.values}</h2>
      <details class="card">
        <summary>{words.phones}</summary>
        <p>{words.phones_text}</p>
        <Table
          caption={words.phones}
          columns={[words.number, words.happens]}
          rows={TEST_PHONES.map((one) => [
            <Reference value={phoneOf(one.digits)} label={words.number} />,
            <span>{one[language]}</span>,
          ])}
        />
        <Samples
          of={writeSamples({ ...sample, operation: 'createPayout', body: payout })}
          label={words.phones}
        />
      </details>
      <details class="card">
        <summary>{words.paying_phones}</summary>
        <p>{words.paying_phones_text}</p>
        <Table
          caption={words.paying_phones}
          columns={[words.number, words.happens]}
          rows={PAYING_PHONES.map((one) => [
            <Reference value={phoneOf(one.digits)} label={words.number} />,
            <span>{one[language]}</span>,
          ])}
        />
      </details>
      <details class="card">
        <summary>{words.buttons}</summary>
        <p>{words.buttons_text}</p>
        <Table
          caption={words.buttons}
          columns={[words.button, words.happens]}
          rows={TEST_BUTTONS.map((one) => [
            <code>{one.action}</code>,
            <span>{one[language]}</span>,
          ])}
        />
        <p>{words.refunds_text}</p>
        <Table
          caption={words.refunds}
          columns={[words.refunds, words.happens]}
          rows={TEST_REFUNDS.map((one) => [
            <code>{one.refunds}</code>,
            <span>{one[language]}</span>,
          ])}
        />
        <Samples
          of={writeSamples({ ...sample, operation: 'createPaymentIntent', body: link })}
          label={words.buttons}
        />
      </details>
    </>
  );
}
