// The clock of the sandbox: where it stands, what waits for it, and moving it on.

import type { Waiting } from '../../db/sandbox/clock';
import { payoutReference } from '../../secrets/hash';
import { MOST_SECONDS, moveClock, type ShownClock } from '../../use-cases/sandbox/clock';
import { seeOther } from '../context';
import { ActionButton, Button, Field, Form } from '../forms';
import { useFrame } from '../frame';
import { Details, Link, Table, Time } from '../parts';
import type { Submit } from './rehearse';
import { spanText, WORDS } from './words';

const SHOWN = 25;
const HOUR = 3_600;
const STEPS = [HOUR, 24 * HOUR, 7 * 24 * HOUR] as const;
const TO_NEXT = 'next';
const MOST_HOURS = MOST_SECONDS / HOUR;

export function Clock({ of: { now, offset_seconds, waiting } }: { readonly of: ShownClock }) {
  const { language } = useFrame();
  const words = WORDS[language];
  const now_ms = Date.parse(now);
  return (
    <>
      <h2 id="clock">{words.clock}</h2>
      <p class="lead">{words.clock_lead}</p>
      <Details
        rows={[
          [words.its_time, <Time at={now} exact />],
          [words.real_time, <Time at={new Date(now_ms - offset_seconds * 1_000)} exact />],
          [words.ahead, offset_seconds > 0 ? spanText(language, offset_seconds) : words.not_ahead],
        ]}
      />
      <div class="card">
        <Form action="/rehearse/clock" class="actions">
          <span>{words.advance_by}</span>
          {STEPS.map((seconds) => (
            <Button look="plain" name="step" value={String(seconds)}>
              {spanText(language, seconds)}
            </Button>
          ))}
        </Form>
        <Form action="/rehearse/clock">
          <Field
            name="hours"
            label={words.hours}
            hint={words.forward_only}
            inputmode="numeric"
            autocomplete="off"
            maxLength={4}
            required
          />
          <Button>{words.advance}</Button>
        </Form>
      </div>
      <h3>{words.waiting}</h3>
      <Table
        caption={words.waiting}
        columns={[words.what, words.due, words.in_how_long]}
        rows={waiting
          .slice(0, SHOWN)
          .map((one) => [
            <Link to={pathOf(one)}>{words.types[one.type]}</Link>,
            <Time at={one.due_at} exact />,
            Date.parse(one.due_at) > now_ms
              ? spanText(language, (Date.parse(one.due_at) - now_ms) / 1_000)
              : words.at_work,
          ])}
      />
      {waiting.length > SHOWN && <p class="hint">{words.first_of_more(SHOWN)}</p>}
      {waiting.length > 0 && (
        <ActionButton action="/rehearse/clock" fields={{ step: TO_NEXT }}>
          {words.to_next}
        </ActionButton>
      )}
    </>
  );
}

function pathOf({ type, id }: Waiting): string {
  switch (type) {
    case 'payment_intent':
      return `/links/${id}`;
    case 'transfer':
      return '/transactions';
    case 'payment_attempt':
      return '/links';
    case 'webhook_delivery':
      return `/deliveries/${id}`;
    case 'payout':
      return `/payouts/${payoutReference(id)}`;
    case 'payout_batch':
      return `/payout-batches/${id}`;
  }
}

export const submitClock: Submit = async (dependencies, { account, form, language }) => {
  const words = WORDS[language];
  const step = form.get('step') ?? '';
  const typed = (form.get('hours') ?? '').trim();
  const hours = /^\d{1,4}$/.test(typed) ? Number(typed) : 0;
  const seconds = STEPS.find((one) => String(one) === step) ?? hours * HOUR;
  if (step !== TO_NEXT && (seconds < 1 || seconds > MOST_SECONDS)) {
    return { hours: words.bad_hours(MOST_HOURS) };
  }
  const move = step === TO_NEXT ? {} : { seconds };
  const moved = await moveClock(dependencies, account.user_id, move);
  if (!moved.ok) {
    const text = moved.error === 'moving' ? words.moving : words.too_far(MOST_HOURS / 24);
    return { hours: text };
  }
  const isIdle = Object.values(moved.moved).every((count) => count === 0);
  const notice = [
    ...(step === TO_NEXT ? [] : [words.advanced(spanText(language, seconds))]),
    words.moved(moved.moved),
    ...(moved.settled && isIdle ? [] : [moved.settled ? words.settled : words.not_settled]),
  ].join(' ');
  return seeOther('/rehearse', { flash: { notice, tone: moved.settled ? 'good' : 'quiet' } });
};
