// Faults that a request in the sandbox can be made to run into (header `Sandbox-Fault`).

const PLAIN_FAULTS = [
  'lost-response',
  'unavailable',
  'unavailable-after',
  'rate-limited',
  'in-progress',
  'gateway-down',
  'gateway-unknown',
] as const;
export type GatewayFaultKind = 'gateway-down' | 'gateway-unknown';

export type Fault =
  | { readonly kind: (typeof PLAIN_FAULTS)[number] }
  | { readonly kind: 'slow' | 'slow-after'; readonly ms: number };

/** For people, by the form of the value. */
export const FAULT_MEANINGS = {
  'lost-response': {
    en: 'The request is carried out, and the connection ends without a byte of a response.',
    fr: 'La requête est exécutée, et la connexion se coupe sans un octet de réponse.',
  },
  unavailable: {
    en: '503, and nothing was done.',
    fr: '503, et rien n’a été fait.',
  },
  'unavailable-after': {
    en: 'The request is carried out, and 503 says that its outcome is not known.',
    fr: 'La requête est exécutée, et 503 dit que son issue est inconnue.',
  },
  'rate-limited': {
    en: '429, which counts in no limit.',
    fr: '429, qui ne compte dans aucune limite.',
  },
  'slow=MS': {
    en: 'Up to 60,000 ms pass before the request is carried out.',
    fr: 'Jusqu’à 60 000 ms passent avant l’exécution de la requête.',
  },
  'slow-after=MS': {
    en: 'As many pass between the work and the response.',
    fr: 'Autant passent entre l’exécution et la réponse.',
  },
  'in-progress': {
    en: '409 `idempotency_in_progress`, once for an `Idempotency-Key`.',
    fr: '409 `idempotency_in_progress`, une fois par `Idempotency-Key`.',
  },
  'gateway-down': {
    en: 'The next call to the gateway about what the request makes or names fails before it is sent.',
    fr: 'Le prochain appel à la passerelle pour ce que la requête crée ou désigne échoue avant d’être envoyé.',
  },
  'gateway-unknown': {
    en: 'That call is carried out, and its answer is lost.',
    fr: 'Cet appel est exécuté, et sa réponse se perd.',
  },
} as const;

/** Longer than any client waits. */
export const MAX_SLOW_MS = 60_000;
/** Bounds of one order. */
export const MAX_FAULT_TIMES = 100;
export const LONGEST_FAULT = 20;

/** For people who have written another. */
export const FAULT_FORMS = `${PLAIN_FAULTS.join(', ')}, slow=MS or slow-after=MS with 0 to ${MAX_SLOW_MS} milliseconds`;

const SLOW = /^(slow|slow-after)=(0|[1-9]\d{0,4})$/;

/** Undefined: there is no such fault. */
export function readFault(text: string): Fault | undefined {
  const plain = PLAIN_FAULTS.find((kind) => kind === text);
  if (plain) return { kind: plain };
  const [, kind, digits] = SLOW.exec(text) ?? [];
  const ms = Number(digits);
  return kind !== undefined && ms <= MAX_SLOW_MS
    ? { kind: kind as 'slow' | 'slow-after', ms }
    : undefined;
}

export function isGatewayFault(kind: Fault['kind']): kind is GatewayFaultKind {
  return kind === 'gateway-down' || kind === 'gateway-unknown';
}

/** Faults that deliveries to an endpoint of the sandbox can be made to run into. */
export type WebhookFault = 'duplicate' | 'swap' | 'bad-signature' | `late=${number}`;

/** The clock of a sandbox can be moved as far. */
export const MAX_LATE_SECONDS = 400 * 86_400;

export const WEBHOOK_FAULT_FORMS = `duplicate, swap, bad-signature, or late=S with 1 to ${MAX_LATE_SECONDS} seconds`;

const WEBHOOK_FAULT = /^(?:duplicate|swap|bad-signature|late=([1-9]\d{0,7}))$/;

export function isWebhookFault(text: string): text is WebhookFault {
  const match = WEBHOOK_FAULT.exec(text);
  return match !== null && Number(match[1] ?? 0) <= MAX_LATE_SECONDS;
}

/** The parts of an operation that decide which faults it can have. */
export interface FaultyOperation {
  readonly idempotent?: string;
  readonly gateway?: string;
}

/** Keyed by the method and the path of the document. */
export type FaultyOperations = ReadonlyMap<string, FaultyOperation>;

export type Misfit = 'takes_no_key' | 'calls_no_gateway';

/** Why an operation cannot have a fault; undefined when it can. */
export function misfitOf(
  { idempotent, gateway }: FaultyOperation,
  kind: Fault['kind'],
): Misfit | undefined {
  if (kind === 'in-progress' && idempotent === undefined) return 'takes_no_key';
  return isGatewayFault(kind) && gateway === undefined ? 'calls_no_gateway' : undefined;
}
