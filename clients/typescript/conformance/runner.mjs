// Runs the conformance cases: a line of JSON in, a line out (clients/conformance/README.md).

import { createInterface } from 'node:readline';
import { PaymentsClient, PaymentsError } from 'payments-client';

const camel = (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase());
const KINDS = {
  ApiError: 'api',
  ConnectionError: 'connection',
  InvalidArgument: 'invalid_argument',
  OutcomeUnknown: 'outcome_unknown',
  SignatureError: 'signature',
};

for await (const line of createInterface({ input: process.stdin })) {
  const { call, verify, take, options, client } = JSON.parse(line, (_, value) =>
    value?.$float === undefined ? value : Number(value.$float),
  );
  const waits_ms = [];
  const logs = [];
  const report = {};
  try {
    report.result = await run({
      call,
      verify,
      take,
      options,
      client: settings(client, waits_ms, logs),
    });
  } catch (error) {
    report.error = describe(error);
  }
  process.stdout.write(`${JSON.stringify({ ...report, waits_ms, logs })}\n`);
}

function settings(
  {
    api_key,
    base_url,
    allow_http: allowHttp,
    random,
    timeout_ms,
    deadline_ms,
    log: fault,
    ...rest
  },
  waits_ms,
  logs,
) {
  let now = 0;
  const sleep = (milliseconds) => {
    waits_ms.push(milliseconds);
    now += milliseconds;
    return Promise.resolve();
  };
  const testing = { now: () => now, sleep, random: () => random };
  const log = (entry) => {
    logs.push(entry);
    if (fault === 'throws') throw new TypeError('The log is full.');
    if (fault === 'rejects') return Promise.reject(new TypeError('The log is full.'));
  };
  const times = { timeout: timeout_ms, deadline: deadline_ms };
  return { api_key, options: { ...rest, ...times, allowHttp, baseUrl: base_url, log, testing } };
}

async function run({ call, verify, take, options = {}, client: { api_key, options: given } }) {
  const controller = new AbortController();
  const log = (entry) => {
    // The request is on its way once the event loop has turned.
    if (options.abort === 'sent') setTimeout(() => controller.abort(), 50);
    return given.log(entry);
  };
  const client = new PaymentsClient(verify ? 'pay_test_none' : api_key, { ...given, log });
  if (verify) {
    const {
      body,
      headers,
      secrets,
      now,
      tolerance_seconds: tolerance,
      allow_untimed: allowUntimed,
    } = verify;
    return client.webhooks.verify(Buffer.from(body), headers, secrets, {
      now,
      tolerance,
      allowUntimed,
    });
  }
  if (options.abort === 'before') controller.abort();
  const [name, ...parameters] = call;
  const [resource, method] = name.split('.').map(camel);
  const target = client[resource][method];
  // The options come last; what may be left out before them is left out.
  while (parameters.length < target.length - 1) parameters.push(undefined);
  const { idempotency_key: idempotencyKey, headers } = options;
  const started = target.call(client[resource], ...parameters, {
    idempotencyKey,
    headers,
    signal: controller.signal,
  });
  if (take === undefined) {
    const result = await started;
    return result instanceof Uint8Array ? Buffer.from(result).toString() : result;
  }
  const rows = [];
  for await (const row of started.autoPaging()) {
    rows.push(row);
    if (rows.length === take) break;
  }
  return rows;
}

function describe(error) {
  const { code, status, param, requestId, retryable, retryAfter, details, key, operation, name } =
    error;
  const { isUnsent: is_unsent } = error;
  const kind =
    error instanceof PaymentsError ? KINDS[name] : name === 'AbortError' ? 'aborted' : name;
  const text = `${error.stack} ${JSON.stringify(error)} ${error.cause ?? ''}`;
  return {
    kind,
    code,
    status,
    param,
    request_id: requestId,
    retryable,
    retry_after: retryAfter,
    is_unsent,
    details,
    key,
    operation,
    text,
  };
}
