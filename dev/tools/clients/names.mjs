// Names an operation in the clients: a resource and a method, as users of Stripe's libraries expect them, from the path
// and the operationId. Names are snake_case here; each language writes them its own way.

/** The rule gives these a name that no caller would look for. */
const EXCEPTIONS = {
  'POST /payment-intents/{id_or_code}/refunds': 'refunds.create',
  'GET /payment-intents/{id_or_code}/attempts/{attempt_id}': 'payment_intents.retrieve_attempt',
  'POST /payment-intents/{id_or_code}/attempts/{attempt_id}/otp': 'payment_intents.give_otp',
  'GET /me': 'account.retrieve',
  'POST /sandbox/faults': 'sandbox.create_fault',
  'DELETE /sandbox/faults': 'sandbox.delete_faults',
  'GET /sandbox/faults': 'sandbox.list_faults',
  'GET /sandbox/test-values': 'sandbox.list_test_values',
  'POST /sandbox/clock/advance': 'sandbox.advance_clock',
  'POST /webhook-endpoints/{id}/faults': 'webhook_endpoints.create_fault',
};

const CRUD = { GET: 'retrieve', POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' };

/** `{ resource: 'webhook_endpoints', method: 'rotate_secret' }` of `POST /webhook-endpoints/{id}/rotate-secret`. */
export function nameOperation(http_method, path, operation_id) {
  const exception = EXCEPTIONS[`${http_method} ${path}`];
  if (exception) {
    const [resource, method] = exception.split('.');
    return { resource, method };
  }
  const [first, ...rest] = path.slice(1).split('/');
  const resource = snake(first);
  const words = rest.filter((segment) => !segment.startsWith('{')).map(snake);
  const verb = operation_id.startsWith('list') ? 'list' : CRUD[http_method];
  if (words.length === 0) return { resource, method: verb };
  // `create_reversal` of `reversals`, and `cancel` of `cancel`.
  if (http_method === 'POST') {
    const isMade = operation_id.startsWith('create');
    return { resource, method: isMade ? `create_${singular(words.join('_'))}` : words.join('_') };
  }
  return { resource, method: `${verb}_${words.join('_')}` };
}

/** The resource of an operation's keys: `payment_intent` of `createPaymentIntent`, `sandbox_fund` of its path. */
export function keyedOperation(operation_id, path, known) {
  const of_id = snake(operation_id.replace(/^create/, ''));
  const of_path = snake(path.replace(/\{\w+\}/g, '')).replace(/^_/, '');
  const operation = [of_id, of_path].find((name) => known.includes(name));
  if (operation) return operation;
  throw new Error(`${operation_id} takes a key, and none of ${known.join(', ')} is its own.`);
}

export function snake(text) {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

export function camel(text) {
  return snake(text).replace(/_(.)/g, (_, letter) => letter.toUpperCase());
}

export function pascal(text) {
  const name = camel(text);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function singular(word) {
  return word.replace(/ies$/, 'y').replace(/s$/, '');
}
