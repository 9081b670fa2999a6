// Holds every answer against the route table: the schema of its success, or the one error shape with
// a code that the route says it can give, and what every answer carries besides.

import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { PREFIX } from '../../../api/prefix';
import { errorsOf, type Route } from '../../../api/route';
import { ROUTES } from '../../../api/routes';
import { errorSchema } from '../../../api/schemas';
import { ERRORS, type ErrorCode } from '../../../domain/errors';
import { request, type HttpResponse, type RequestOptions } from '../../support/http';
import type { TestService } from '../../support/service';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
addFormats(ajv);
const isError = ajv.compile(errorSchema);
const contracts = ROUTES.map((route) => ({
  route,
  path: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  isSuccess: ajv.compile(route.response.schema),
}));

/** As `request`, and fails the test when the answer breaks the contract. */
export async function ask(
  service: Pick<TestService, 'base_url'>,
  method: Route['method'],
  path: string,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const answer = await request(service, method, path, options);
  holdAnswer(method, path, answer);
  return answer;
}

/** The part of an answer that a contract speaks of; raw answers have it too. */
type Held = Pick<HttpResponse, 'status' | 'headers' | 'text' | 'json'>;

export function holdAnswer(method: Route['method'], path: string, answer: Held): void {
  const [bare = ''] = path.replace(PREFIX, '').split('?');
  const contract = contracts.find(
    ({ route, path: pattern }) => route.method === method && pattern.test(bare),
  );
  if (!contract) throw new Error(`No route for ${method} ${path}`);
  const { route, isSuccess } = contract;
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(answer.headers['x-request-id']).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  if (answer.status < 400) {
    expect(answer.status).toBe(route.response.status);
    holdSchema(isSuccess, answer);
    holdDecimals(answer.text);
  } else {
    holdError(answer, errorsOf(route));
  }
}

/** The one error shape, with one of these codes. */
export function holdError(answer: Held, codes: readonly ErrorCode[]): void {
  holdSchema(isError, answer);
  const { code, retryable, doc_url, request_id } = answer.json.error;
  expect(codes).toContain(code);
  const row = ERRORS[code as ErrorCode];
  expect(answer.status).toBe(row.status);
  expect(retryable).toBe(row.retryable);
  expect(doc_url).toMatch(new RegExp(`^https?://[^/]+/docs/errors#${code}$`));
  // A replayed body is the first one, its id included.
  if (answer.headers['idempotent-replayed'] === undefined) {
    expect(request_id).toBe(answer.headers['x-request-id']);
  }
  // No stack, no SQL, no path of a file.
  expect(answer.text).not.toMatch(/\\n *at |\bselect\b|\binsert\b|node_modules|\.(?:ts|js|sql)\b/);
}

function holdSchema(isValid: ValidateFunction, { text, json }: Held): void {
  if (isValid(json)) return;
  throw new Error(`${ajv.errorsText(isValid.errors)} in ${text}`);
}

const MONEY = /"(?:amount|fee|net_amount|balance|balance_after)":([^,}]*)/g;

/** Two decimals, literally in the bytes. */
export function holdDecimals(text: string): void {
  for (const [, figure] of text.matchAll(MONEY)) expect(figure).toMatch(/^\d+\.\d\d$/);
}

/** An answer with these and the error's code, for one `toMatchObject`. */
export function refusal(code: ErrorCode, param?: string): object {
  return {
    status: ERRORS[code].status,
    json: { ok: false, error: { code, ...(param === undefined ? {} : { param }) } },
  };
}

/** 503 with everything a caller needs to ask again. */
export function expectUnavailable(answer: HttpResponse): void {
  expect(answer).toMatchObject(refusal('unavailable'));
  expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}
