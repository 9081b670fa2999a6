// Plays recorded exchanges back, in place of a simulator. `{{name}}` in a request stands for any text, and is filled
// in where the answers say it; `{{id}}` is our id of the order, by which the other values are kept.

import { readFileSync } from 'node:fs';
import type { BenchServer } from './bench';
import { serve, type Answer, type Asked } from './serve';

/** A file is a JSON list of them. Of several that fit, each answers once for an order, and the last one from then on. */
export interface Recording {
  readonly request: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response: { readonly status: number; readonly body: unknown };
  /** `unseen`: of an id that nothing was ordered with. `conflict`: an order with the id of another one. */
  readonly when?: 'unseen' | 'conflict';
}

type Values = Record<string, string>;

export async function playRecordings(file: string): Promise<BenchServer> {
  const recordings = JSON.parse(readFileSync(file, 'utf8')) as readonly Recording[];
  const orders = new Map<string, Values>();
  const played = new Map<string, number>();

  const answer = ({ method, path, text }: Asked): Answer => {
    const body = text === '' ? undefined : (JSON.parse(text) as unknown);
    const fitting = recordings.flatMap((recording) => {
      const values: Values = {};
      const { request } = recording;
      const isSame =
        request.method === method &&
        fits(request.path, path, values) &&
        (request.body === undefined || fits(request.body, body, values));
      return isSame ? [{ recording, values }] : [];
    });
    const values = fitting[0]?.values ?? {};
    const id = values['id'] ?? '';
    const order = orders.get(id);
    const isOther = Object.entries(values).some(
      ([name, value]) => (order?.[name] ?? value) !== value,
    );
    const unknown = method === 'GET' && id !== '' ? 'unseen' : undefined;
    const when = order === undefined ? unknown : isOther ? 'conflict' : undefined;
    const meant = fitting.filter(({ recording }) => recording.when === when);
    const key = `${method} ${path.replace(/\?.*/, '')} ${id}`;
    const turn = played.get(key) ?? 0;
    played.set(key, turn + 1);
    const chosen = meant[Math.min(turn, meant.length - 1)]?.recording;
    if (!chosen)
      return { status: 501, body: { error: `no recording of ${method} ${path} ${text}` } };
    const filled = { ...values, ...order };
    if (method !== 'GET' && !isOther) orders.set(id, filled);
    const words = JSON.stringify(chosen.response.body).replace(
      /\{\{(\w+)\}\}/g,
      (_, name: string) => filled[name] ?? '',
    );
    return { status: chosen.response.status, body: JSON.parse(words) as object };
  };

  return serve(answer);
}

/** Whether what came is as recorded, field by field; fields that were not recorded do not count. */
function fits(recorded: unknown, came: unknown, values: Values): boolean {
  if (typeof recorded === 'string' && typeof came === 'string') {
    const names: string[] = [];
    const parts = recorded.split(/\{\{(\w+)\}\}/).map((part, index) => {
      if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      names.push(part);
      return '(.+)';
    });
    const found = new RegExp(`^${parts.join('')}$`, 's').exec(came);
    found?.slice(1).forEach((value, index) => (values[names[index]!] = value));
    return found !== null;
  }
  if (typeof recorded !== 'object' || recorded === null) return recorded === came;
  if (typeof came !== 'object' || came === null) return false;
  return Object.entries(recorded).every(([name, value]) =>
    fits(value, (came as Record<string, unknown>)[name], values),
  );
}
