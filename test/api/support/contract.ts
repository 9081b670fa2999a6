// Checks every response against the route table: the schema of the success, which names each of its fields,
// or the one error shape with a code that the route declares, and the headers that every response has.

import addFormats from 'ajv-formats';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import { PREFIX } from '../../../http/prefix';
import { errorsOf, type Route } from '../../../api/route';
import { ROUTES } from '../../../api/routes';
import { errorSchema } from '../../../api/schemas';
import { ERRORS, isRetryable, type ErrorCode } from '../../../domain/errors';
import { closeSchema } from '../../support/close-schema';
import { request, type HttpResponse, type RequestOptions } from '../../support/http';
import type { TestService } from '../../support/service';
import { waitFor } from '../../support/wait';

const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
addFormats(ajv);
const isError = ajv.compile(closeSchema(errorSchema) as object);
const contracts = ROUTES.map((route) => ({
  route,
  path: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`),
  isSuccess: ajv.compile(closeSchema(route.response) as object),
}));

/** Fails the test when the response breaks the contract. */
export async function callApi(
  service: Pick<TestService, 'base_url'>,
  method: Route['method'],
  path: string,
  options: RequestOptions = {},
): Promise<HttpResponse> {
  const response = await request(service, method, path, options);
  expectContract(method, path, response);
  return response;
}

/** What GET answers at this path, once its status is this one. */
export function untilStatus(
  service: Pick<TestService, 'base_url'>,
  path: string,
  key: string,
  status: string,
): Promise<HttpResponse['json']> {
  return waitFor(async () => {
    const { json } = await callApi(service, 'GET', path, { key });
    return json.status === status && json;
  });
}

/** The part of a response that the contract covers; raw responses have it too. */
type CheckedResponse = Pick<HttpResponse, 'status' | 'headers' | 'text' | 'json'>;

export function expectContract(
  method: Route['method'],
  path: string,
  response: CheckedResponse,
): void {
  const [bare = ''] = path.replace(PREFIX, '').split('?');
  const contract = contracts.find(
    ({ route, path: pattern }) => route.method === method && pattern.test(bare),
  );
  if (!contract) throw new Error(`No route for ${method} ${path}`);
  const { route, isSuccess } = contract;
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['x-request-id']).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
  if (response.status < 400) {
    expect([route.status, route.also_status?.status]).toContain(response.status);
    expect(response.json.ok).toBe(true);
    expectSchema(isSuccess, response);
    expectTwoDecimals(response.text);
  } else {
    expectErrorBody(response, errorsOf(route));
  }
}

/** The one error shape, with one of these codes. */
export function expectErrorBody(response: CheckedResponse, codes: readonly ErrorCode[]): void {
  expectSchema(isError, response);
  const { code, retryable, doc_url, request_id } = response.json.error;
  expect(codes).toContain(code);
  const row = ERRORS[code as ErrorCode];
  expect(response.status).toBe(row.status);
  expect(retryable).toBe(isRetryable(code as ErrorCode));
  expect(doc_url).toMatch(new RegExp(`^https?://[^/]+/docs/errors#${code}$`));
  // A replayed body is the first one, its request id included.
  if (response.headers['idempotent-replayed'] === undefined) {
    expect(request_id).toBe(response.headers['x-request-id']);
  }
  // No stack, no SQL, no file path.
  expect(response.text).not.toMatch(
    /\\n *at |\bselect\b|\binsert\b|node_modules|\.(?:ts|js|sql)\b/,
  );
}

function expectSchema(isValid: ValidateFunction, { text, json }: CheckedResponse): void {
  if (isValid(json)) return;
  throw new Error(`${ajv.errorsText(isValid.errors)} in ${text}`);
}

const MONEY = /"(?:amount|fee|net_amount|balance|balance_after)":([^,}]*)/g;

/** Two decimals, literally in the bytes; null where the schema allows it. */
export function expectTwoDecimals(text: string): void {
  for (const [, figure] of text.matchAll(MONEY)) expect(figure).toMatch(/^(\d+\.\d\d|null)$/);
}

/** An error response with this code and param, for `toMatchObject`. */
export function refusal(code: ErrorCode, param?: string): object {
  return {
    status: ERRORS[code].status,
    json: { ok: false, error: { code, ...(param === undefined ? {} : { param }) } },
  };
}

/** 503 with everything a caller needs to retry. */
export function expectUnavailable(response: HttpResponse): void {
  expect(response).toMatchObject(refusal('unavailable'));
  expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(1);
}
