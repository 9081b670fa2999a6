// A browser without scripts: keeps cookies, follows redirects after forms, and fills in the forms that a
// page really has, with their hidden fields.

import { parse, type HTMLElement } from 'node-html-parser';
import type { TestService } from '../support/service';

export interface VisitedPage {
  readonly status: number;
  /** Says where the last request led, without the origin. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  readonly document: HTMLElement;
  /** The page's text, without tags. */
  readonly text: string;
  readonly heading: string;
  /** Each fault that the page shows, by the name of its field. */
  readonly faults: Readonly<Record<string, string>>;
  /** The rows of tables, each in one line. */
  readonly rows: readonly string[];
  /** The buttons of the content, and the links that look like one. */
  readonly buttons: readonly string[];
  /** The value of the field with this name. */
  readonly value: (name: string) => string | undefined;
  /** Where the first link of the content with this text leads. */
  readonly link: (text: string) => string;
}

/** The answer to a form, whose redirect was not followed. */
export interface Sent {
  readonly status: number;
  readonly to: string | null;
  readonly text: string;
  readonly headers: Headers;
}

export interface Visitor {
  /** `/keys` is `/dashboard/keys`. Redirects are followed. */
  open(path: string, headers?: Readonly<Record<string, string>>): Promise<VisitedPage>;
  /**
   * Sends the form of the last page whose action ends with `action`, with its hidden and preset fields and
   * these. Redirects are followed.
   * @throws Error when the page has no such form, or the form no such field
   */
  submit(action: string, fields?: GivenFields): Promise<VisitedPage>;
  /** Opens a page, and sends the first form of its content, or the one with this action. */
  fill(path: string, fields?: GivenFields, action?: string): Promise<VisitedPage>;
  /** Sends a form of a page as it was then. Redirects are not followed. */
  press(page: VisitedPage, action: string, fields?: GivenFields): Promise<Sent>;
  /** Sends these fields by hand, with what the forms of the last page prove themselves by. Redirects are not followed. */
  post(path: string, fields?: GivenFields, headers?: Record<string, string>): Promise<Sent>;
  /** A request made by hand, with this browser's cookies. Redirects are not followed. */
  request(path: string, init?: RequestInit): Promise<Response>;
  readonly cookies: ReadonlyMap<string, string>;
  readonly page: VisitedPage;
}

export type GivenFields = Readonly<Record<string, string | string[]>>;

const MAX_REDIRECTS = 5;

export function createVisitor({ origin }: Pick<TestService, 'origin'>): Visitor {
  const cookies = new Map<string, string>();
  let last: VisitedPage | undefined;
  const currentPage = (): VisitedPage => {
    if (!last) throw new Error('No page was opened yet.');
    return last;
  };

  const request: Visitor['request'] = async (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('Cookie') && cookies.size > 0) {
      headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    }
    const response = await fetch(origin + path, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) keepCookie(line);
    return response;
  };

  const keepCookie = (line: string): void => {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
    if (value === '' || /expires=Thu, 01 Jan 1970/i.test(line)) cookies.delete(name!);
    else cookies.set(name!, value!);
  };

  const follow = async (path: string, init: RequestInit): Promise<VisitedPage> => {
    let [next, response] = [path, await request(path, init)];
    for (let left = MAX_REDIRECTS; response.headers.has('Location'); left -= 1) {
      if (left === 0) throw new Error(`More than ${MAX_REDIRECTS} redirects from ${path}.`);
      await response.arrayBuffer();
      const url = new URL(response.headers.get('Location')!, origin + next);
      next = url.pathname + url.search;
      const { 'Accept-Language': language } = (init.headers ?? {}) as Record<string, string>;
      response = await request(next, language ? { headers: { 'Accept-Language': language } } : {});
    }
    const html = await response.text();
    last = { ...readPage(html), status: response.status, path: next, headers: response.headers };
    return last;
  };

  const send = async (path: string, init: RequestInit): Promise<Sent> => {
    const response = await request(dashboardPath(path), { method: 'POST', ...init });
    const { status, headers } = response;
    return { status, headers, to: headers.get('Location'), text: await response.text() };
  };

  const filled = (page: VisitedPage, action: string, fields: GivenFields) => {
    const form = formOf(page, action);
    const body = new URLSearchParams(fieldsOf(form, fields));
    const headers = { Referer: origin + page.path };
    return [form.getAttribute('action')!, { method: 'POST', headers, body }] as const;
  };

  return {
    cookies,
    request,
    get page() {
      return currentPage();
    },
    open: (path, headers = {}) => follow(dashboardPath(path), { headers }),
    submit: async (action, fields = {}) => follow(...filled(currentPage(), action, fields)),
    async fill(path, fields = {}, action = '') {
      return follow(...filled(await follow(dashboardPath(path), {}), action, fields));
    },
    press: async (page, action, fields = {}) => send(...filled(page, action, fields)),
    post(path, fields = {}, headers = {}) {
      const page = currentPage();
      const own = ['form_token', 'shown'].map((name): [string, string] => [
        name,
        page.value(name) ?? '',
      ]);
      const body = new URLSearchParams(own);
      for (const [name, values] of Object.entries(fields)) {
        body.delete(name);
        for (const value of [values].flat()) body.append(name, value);
      }
      return send(path, { headers, body });
    },
  };
}

function readPage(html: string) {
  // Parsed also inside of <pre>, which the parser takes for text otherwise.
  const document = parse(html, { blockTextElements: { script: true, style: true } });
  const all = (selector: string): HTMLElement[] => document.querySelectorAll(selector);
  const line = (one: HTMLElement): string => one.structuredText.replace(/\s+/g, ' ').trim();
  return {
    html,
    document,
    text: plainSpaces(document.querySelector('body')?.structuredText ?? ''),
    heading: document.querySelector('h1')?.textContent ?? '',
    faults: Object.fromEntries(
      all('.fault').map(({ id, textContent }) => [
        id.replace(/-fault$/, ''),
        plainSpaces(textContent),
      ]),
    ),
    rows: all('main tbody tr').map(line),
    buttons: all('main button[type=submit], main a.button').map((one) =>
      plainSpaces(one.textContent),
    ),
    value: (name: string): string | undefined => {
      const [field] = all(`[name="${name}"]`);
      return field && presetValue(field);
    },
    link: (text: string): string =>
      all('main a')
        .find(({ textContent }) => textContent === text)!
        .getAttribute('href')!
        .replaceAll('&amp;', '&'),
  };
}

function formOf({ document, path, text }: VisitedPage, action: string): HTMLElement {
  const forms = document.querySelectorAll(action === '' ? 'main form[method=post]' : 'form');
  const form = forms.find((one) => one.getAttribute('action')?.endsWith(action));
  if (!form) throw new Error(`${path} has no form for ${action}: ${text}`);
  return form;
}

/** Expects the status of a page, and that it says all of this. */
export function expectPage(
  page: Pick<VisitedPage, 'status' | 'text'>,
  status: number,
  ...says: readonly (string | RegExp)[]
): void {
  const found = says.filter((one) =>
    typeof one === 'string' ? page.text.includes(one) : one.test(page.text),
  );
  if (page.status === status && found.length === says.length) return;
  expect([page.status, found, page.text]).toEqual([status, says, 'the text of the page']);
}

/** Amounts have spaces at which no line breaks. */
function plainSpaces(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

function dashboardPath(path: string): string {
  if (path.startsWith('/dashboard')) return path;
  return path === '/' ? '/dashboard' : `/dashboard${path}`;
}

/** A field of several checkboxes has several values. */
function fieldsOf(form: HTMLElement, given: GivenFields): [string, string][] {
  const fields: [string, string][] = [];
  const names = new Set<string>();
  for (const input of form.querySelectorAll('input, select, textarea, button')) {
    const name = input.getAttribute('name');
    if (name === undefined) continue;
    names.add(name);
    const value = presetValue(input);
    if (value !== undefined && given[name] === undefined) fields.push([name, value]);
  }
  for (const [name, values] of Object.entries(given)) {
    if (!names.has(name))
      throw new Error(`The form has no field ${name}: ${[...names].join(', ')}`);
    for (const value of [values].flat()) fields.push([name, value]);
  }
  return fields;
}

function presetValue(input: HTMLElement): string | undefined {
  if (input.tagName === 'BUTTON') return undefined;
  if (input.tagName === 'TEXTAREA') return input.textContent;
  if (input.tagName === 'SELECT') {
    const options = input.querySelectorAll('option');
    const chosen = options.find((one) => one.hasAttribute('selected')) ?? options[0];
    return chosen?.getAttribute('value') ?? chosen?.textContent;
  }
  const type = input.getAttribute('type');
  if ((type === 'checkbox' || type === 'radio') && !input.hasAttribute('checked')) return undefined;
  return input.getAttribute('value') ?? '';
}
