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
    // Parsed also inside of <pre>, which the parser takes for text otherwise.
    const document = parse(html, { blockTextElements: { script: true, style: true } });
    last = {
      status: response.status,
      path: next,
      headers: response.headers,
      html,
      document,
      text: plainSpaces(document.querySelector('body')?.structuredText ?? ''),
      heading: document.querySelector('h1')?.textContent ?? '',
    };
    return last;
  };

  return {
    cookies,
    request,
    get page() {
      return currentPage();
    },
    open: (path, headers = {}) => follow(dashboardPath(path), { headers }),
    submit(action, fields = {}) {
      const page = currentPage();
      const form = page.document
        .querySelectorAll('form')
        .find((one) => one.getAttribute('action')?.endsWith(action));
      if (!form) throw new Error(`${page.path} has no form for ${action}: ${page.text}`);
      const body = new URLSearchParams(fieldsOf(form, fields));
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        Referer: origin + page.path,
      };
      return follow(form.getAttribute('action')!, { method: 'POST', headers, body });
    },
  };
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
