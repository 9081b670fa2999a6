// Faults of the next calls: one is ordered, what is left of them, and the end of all.

import { dropFaults, MAX_FAULTS, type OrderedFault } from '../../db/sandbox/faults';
import { FAULT_MEANINGS, MAX_FAULT_TIMES, MAX_SLOW_MS } from '../../domain/fault';
import { labelled } from '../../domain/language';
import { writeSamples } from '../../pages/samples';
import { orderOperationFault } from '../../use-cases/sandbox/faults';
import { seeOther } from '../context';
import { ActionButton, Button, Field, Form, Select } from '../forms';
import { useFrame } from '../frame';
import { Samples, Table } from '../parts';
import type { Submit } from './rehearse';
import type { Sampled } from './values';
import { WORDS } from './words';

const FIRST_OPERATION = 'POST /transfers';
const BY_HEADER = { 'Sandbox-Fault': 'lost-response' };
/** A person replaces this by a number. */
const MS = 'MS';
const FORMS = Object.keys(FAULT_MEANINGS) as (keyof typeof FAULT_MEANINGS)[];

export function OrderedFaults({
  ordered,
  operations,
  sample,
}: {
  readonly ordered: readonly OrderedFault[];
  readonly operations: readonly string[];
  readonly sample: Sampled;
}) {
  const { language } = useFrame();
  const words = WORDS[language];
  return (
    <>
      <h2 id="faults">{words.faults}</h2>
      <p class="lead">{words.faults_lead}</p>
      <Form action="/rehearse/faults" class="card">
        <Select
          name="operation"
          label={words.operation}
          value={FIRST_OPERATION}
          options={operations.map((value) => ({ value, label: value }))}
        />
        <Select
          name="fault"
          label={words.fault}
          value={FORMS[0]}
          options={FORMS.map((value) => ({ value, label: labelOf(value) }))}
        />
        <Field
          name="ms"
          label={words.ms}
          hint={words.ms_hint}
          value="2000"
          inputmode="numeric"
          maxLength={5}
        />
        <Field
          name="times"
          label={words.times}
          value="1"
          inputmode="numeric"
          maxLength={3}
          required
        />
        <Button>{words.order}</Button>
      </Form>
      <h3>{words.left_faults}</h3>
      <Table
        caption={words.left_faults}
        columns={[words.operation, words.fault, words.left]}
        rows={ordered.map(({ operation, fault, left, times }) => [
          <code>{operation}</code>,
          <code>{fault}</code>,
          words.left_of(left, times),
        ])}
      />
      {ordered.length > 0 && (
        <ActionButton action="/rehearse/faults/end" look="danger">
          {words.end_all}
        </ActionButton>
      )}
      <p>{words.by_header}</p>
      <Samples
        of={writeSamples({ ...sample, operation: 'listWallets', headers: BY_HEADER })}
        label={words.faults}
      />
    </>
  );

  function labelOf(form: (typeof FORMS)[number]): string {
    const meaning = FAULT_MEANINGS[form][language].replaceAll('`', '');
    return labelled(language, form.replace(`=${MS}`, ''), meaning);
  }
}

export const submitFault: Submit = async ({ db, operations }, { account, form, language }) => {
  const words = WORDS[language];
  const text = (name: string): string => (form.get(name) ?? '').trim();
  const times = /^\d{1,3}$/.test(text('times')) ? Number(text('times')) : 0;
  if (times < 1 || times > MAX_FAULT_TIMES) {
    return { times: words.bad_times(MAX_FAULT_TIMES) };
  }
  const isSlow = text('fault').endsWith(MS);
  const operation = text('operation');
  const fault = text('fault').replace(MS, text('ms'));
  const order = { user_id: account.user_id, operation, fault, times };
  const done = await orderOperationFault({ db, operations }, order);
  if (done.ok) {
    return seeOther('/rehearse', {
      flash: { notice: words.ordered(operation, fault) },
      subject: `${operation} ${fault}`,
    });
  }
  switch (done.error) {
    case 'unknown_operation':
      return { operation: words.choose };
    case 'unknown_fault':
      return isSlow ? { ms: words.bad_ms(MAX_SLOW_MS) } : { fault: words.choose };
    case 'too_many':
      return { operation: words.too_many_faults(MAX_FAULTS) };
    case 'takes_no_key':
    case 'calls_no_gateway':
      return { fault: words[done.error] };
  }
};

export const endFaults: Submit = async ({ db }, { account, language }) => {
  const ended = await dropFaults(db, account.user_id);
  return seeOther('/rehearse', { flash: { notice: WORDS[language].ended(ended) } });
};
