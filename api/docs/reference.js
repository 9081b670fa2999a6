// The reference is read without this script, which adds a search, the reader's test key in the programs, and calls that
// are tried. A live key is refused, because a press of a button here must not move money.

'use strict';
(() => {
  const LIVE = /[a-z0-9]_live_/;
  const PLACE = 'pay_test_...';
  /** @type {(id: string) => HTMLInputElement} */
  const field = (id) => document.querySelector(`#${id}`);
  const [search, key, told] = ['search', 'key', 'told'].map(field);
  /** @type {NodeListOf<HTMLElement>} */
  const articles = document.querySelectorAll('article.call');
  const calls = [...articles];
  /** @type {NodeListOf<HTMLElement>} */
  const others = document.querySelectorAll('#introduction, #errors, #types');
  /** @type {(id: string) => HTMLElement} */
  const linkOf = (id) => document.querySelector(`.contents a[href="#${id}"]`);
  /** @type {(selector: string, within?: ParentNode) => HTMLElement} */
  const one = (selector, within = document) => within.querySelector(selector);
  const texts = new Map();
  // The text of the section says what its calls are for. Programs and answers are not what a call is about.
  const textOf = (call) => {
    if (!texts.has(call)) {
      const shown = [...call.children].filter((part) => !part.matches('.sample, .answer, .try'));
      const about = call.parentElement.querySelector('h2 + p');
      const text = [...shown, about].map((part) => part?.textContent ?? '').join(' ');
      texts.set(call, text.toLowerCase());
    }
    return texts.get(call);
  };

  function find() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const isFound = (call) => words.every((word) => textOf(call).includes(word));
    let found = 0;
    for (const call of calls) {
      call.hidden = !isFound(call);
      linkOf(call.id).parentElement.hidden = call.hidden;
      if (!call.hidden) found += 1;
    }
    for (const part of [...others].flatMap((other) => [other, linkOf(other.id)])) {
      part.hidden = words.length > 0;
    }
    /** @type {NodeListOf<HTMLElement>} */
    const sections = document.querySelectorAll('main > section:has(> .call)');
    for (const section of sections) {
      section.hidden = !section.querySelector('.call:not([hidden])');
      linkOf(section.id).parentElement.hidden = section.hidden;
    }
    told.textContent = words.length > 0 ? `${found} of ${calls.length} calls and webhooks` : '';
  }

  let shown_key = PLACE;
  function useKey() {
    const given = key.value.trim();
    const isLive = LIVE.test(given);
    told.textContent = isLive ? 'This page takes test keys only: a live key would move money.' : '';
    const next = given === '' || isLive ? PLACE : given;
    for (const pre of document.querySelectorAll('.sample pre')) {
      pre.textContent = pre.textContent.replaceAll(shown_key, next);
    }
    shown_key = next;
  }

  async function send({ method, path }, body) {
    const headers = { 'Content-Type': 'application/json' };
    if (shown_key !== PLACE) headers.Authorization = `Bearer ${shown_key}`;
    const response = await fetch(path, { method, headers, ...(body === '' ? {} : { body }) });
    return `${response.status}\n${await response.text()}`;
  }

  function element(name, props = {}) {
    return Object.assign(document.createElement(name), props);
  }

  function labelled(text, input) {
    const label = element('label', { textContent: text });
    label.append(input);
    return label;
  }

  // A path stays on this origin: the page's policy allows no other.
  for (const call of calls) {
    const { method, path } = one('[data-path]', call)?.dataset ?? {};
    if (path === undefined) continue;
    const details = element('details', { className: 'try' });
    const form = element('form');
    const where = element('input', { value: path });
    const body = element('textarea', {
      value: call.querySelector('.body pre')?.textContent ?? '',
    });
    const answer = element('pre', { hidden: true });
    form.append(labelled(`${method}`, where));
    if (method !== 'GET') form.append(labelled('Body', body));
    form.append(element('button', { textContent: 'Send with the test key' }));
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      answer.hidden = false;
      answer.textContent = '…';
      const request = { method, path: where.value };
      answer.textContent = await send(request, method === 'GET' ? '' : body.value).catch(String);
    });
    details.append(element('summary', { textContent: 'Try it' }), form, answer);
    call.append(details);
  }

  one('[role=search]').hidden = false;
  search.addEventListener('input', find);
  key.addEventListener('input', useKey);
  one('[role=search]').addEventListener('submit', (event) => {
    event.preventDefault();
  });
  if (search.value !== '') find();
  if (key.value !== '') useKey();
})();
