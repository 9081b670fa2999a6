// Compares a response with the part of it that a scene expects.

import type { ApiAnswer } from '../merchant-api';
import type { StepOf } from './schema';

/** `lost`: the request may have been carried out, and there is no response. */
export type Answer = ApiAnswer | 'lost';

const SHOWN = 300;

/** Returns what differs, a line for each; nothing when the expectation holds. */
export function differences(
  { expect: expected, headers = {} }: Pick<StepOf<'expect'>, 'expect' | 'headers'>,
  answer: Answer,
): readonly string[] {
  if (answer === 'lost') {
    return expected === 'lost' ? [] : [`expected ${show(expected)}, found no response`];
  }
  const found = describe(answer);
  if (expected === 'lost') return [`expected no response, found ${found}`];
  if (typeof expected === 'number') {
    return answer.status === expected ? [] : [`expected status ${expected}, found ${found}`];
  }
  const differing = [
    ...Object.entries(headers).flatMap(([name, value]) =>
      compare(value, answer.headers.get(name) ?? undefined, name),
    ),
    ...compare(expected, answer.json, ''),
  ];
  return differing.length > 0 && answer.status >= 300
    ? [`the response was ${found}`, ...differing]
    : differing;
}

/** The status, with the API's code and message of a refusal. */
export function describe({ status, json }: ApiAnswer, took = ''): string {
  const { code, message } = json?.error ?? {};
  return `${status}${took}${code === undefined ? '' : `, ${code}: ${message}`}`;
}

/**
 * The named fields of an object must be equal. Each expected item of a list must be found, in any place; the
 * empty list stands for an empty one.
 */
function compare(expected: unknown, found: unknown, name: string): readonly string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || (expected.length === 0 && found.length > 0)) {
      return [difference(expected, found, name)];
    }
    return expected
      .filter((item) => !found.some((one) => compare(item, one, '').length === 0))
      .map((item) => `${name}: expected an item ${show(item)}, found ${show(found)}`);
  }
  if (!isObject(expected)) return expected === found ? [] : [difference(expected, found, name)];
  if (!isObject(found)) return [difference(expected, found, name)];
  return Object.entries(expected).flatMap(([field, value]) =>
    compare(value, found[field], name === '' ? field : `${name}.${field}`),
  );
}

function difference(expected: unknown, found: unknown, name: string): string {
  return `${name}: expected ${show(expected)}, found ${show(found)}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} …` : text;
}
