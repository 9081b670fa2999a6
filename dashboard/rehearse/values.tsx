// The values that mean something in the sandbox, and a call that uses each kind.

import type { JSX } from 'preact';
import { PAYING_PHONES, TEST_PHONES } from '../../domain/test-phones';
import { TEST_BUTTONS } from '../../domain/test-values';
import { writeSamples } from '../../pages/samples';
import { useFrame } from '../frame';
import { Reference, Snippet, Table } from '../parts';
import { WORDS } from './words';

export interface Sampled {
  readonly base_url: string;
  /** What stands for the key. */
  readonly key: string;
}

const phoneOf = (digits: string): string => `+221770000${digits}`;

export function Values({ sample }: { readonly sample: Sampled }): JSX.Element {
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
        <Curl of={{ ...sample, method: 'POST', path: '/payouts' }} body={payout} />
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
        <Curl of={{ ...sample, method: 'POST', path: '/payment-intents' }} body={link} />
      </details>
    </>
  );
}

export function Curl({
  of: { base_url, key, method, path },
  headers,
  body,
}: {
  readonly of: Sampled & { readonly method: string; readonly path: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}): JSX.Element {
  const { language } = useFrame();
  const url = base_url + path;
  const [curl] = writeSamples({ method, url, key, headers, body });
  return <Snippet text={curl!.text} label={WORDS[language].sample(path)} />;
}
