// The script of the dashboard, which works without it: buttons that copy, share, print and show
// passwords, times in the reader's own zone, amounts as they will be read, forms that are sent once,
// and parts that update by themselves while they are seen.

'use strict';
(() => {
  const locale = document.documentElement.lang === 'fr' ? 'fr-FR' : 'en-GB';
  function showLocalTimes(within) {
    for (const time of within.querySelectorAll('time')) {
      time.title = time.textContent;
      const timeStyle = 'exact' in time.dataset ? 'medium' : 'short';
      const instant = new Date(time.dateTime);
      time.textContent = instant.toLocaleString(locale, { dateStyle: 'medium', timeStyle });
    }
  }
  showLocalTimes(document);

  // Times of forms are UTC. A field shows the reader's own, and its form sends the same instant.
  for (const field of document.querySelectorAll('input')) {
    if (!('local' in field.dataset)) continue;
    const [label] = field.labels;
    label.textContent = field.dataset.local;
    if (field.value) {
      const at = new Date(`${field.value}Z`);
      const local = at.getTime() - at.getTimezoneOffset() * 60000;
      field.value = new Date(local).toISOString().slice(0, 16);
    }
    field.form.addEventListener('formdata', ({ formData }) => {
      if (!field.value) return;
      formData.set(field.name, new Date(field.value).toISOString().slice(0, 16));
    });
  }

  // Buttons that nothing works without a script stay hidden until here.
  function showButtons(within) {
    for (const button of within.querySelectorAll('button[hidden]')) {
      button.hidden = 'share' in button.dataset && !navigator.share;
    }
  }
  showButtons(document);

  function copy(button) {
    const label = button.textContent;
    void navigator.clipboard.writeText(button.dataset.copy).then(() => {
      button.textContent = button.dataset.copied;
      setTimeout(() => (button.textContent = label), 2000);
    });
  }

  function showPassword(button) {
    const field = button.parentElement.querySelector('input');
    field.type = field.type === 'password' ? 'text' : 'password';
    const other = button.textContent;
    button.textContent = button.dataset.other;
    button.dataset.other = other;
  }

  // Parts of a page come anew, so it is the document that listens.
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button') : null;
    if (!button) return;
    const { dataset } = button;
    if ('copy' in dataset) copy(button);
    if ('shows' in dataset) showPassword(button);
    if ('print' in dataset) print();
    // Who closes the list of apps has shared nothing, which is no fault.
    if ('share' in dataset) navigator.share({ text: dataset.share }).catch(() => undefined);
  });

  const AMOUNT_PAUSE = 250;
  for (const shown of document.querySelectorAll('output')) {
    if (!('amount' in shown.dataset)) continue;
    const { amount, currency: fixed } = shown.dataset;
    const field = [...shown.form.querySelectorAll('input')].find(
      ({ id }) => id === shown.htmlFor.value,
    );
    const currency = [...shown.form.querySelectorAll('select')].find(
      ({ name }) => name === 'currency',
    );
    let timer;
    let last;
    const ask = () => {
      const given = { amount: field.value, currency: fixed || currency.value };
      const query = String(new URLSearchParams(given));
      last = query;
      void fetch(`${amount}?${query}`)
        .then((answer) => (answer.ok ? answer.text() : ''))
        .catch(() => '')
        // An answer that was overtaken is about another text.
        .then((text) => {
          if (last === query) shown.textContent = text;
        });
    };
    const wait = () => {
      clearTimeout(timer);
      last = undefined;
      shown.textContent = '';
      if (field.value !== '') timer = setTimeout(ask, AMOUNT_PAUSE);
    };
    field.addEventListener('input', wait);
    if (currency) currency.addEventListener('input', wait);
    wait();
  }

  // Keeps the keyboard where it was: on the same link, or on the same one of several.
  function replacePart(part, html) {
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const open = Array.from(part.querySelectorAll('details'), (one) => one.open);
    part.innerHTML = html;
    showLocalTimes(part);
    showButtons(part);
    const details = [...part.querySelectorAll('details')];
    // New attempts come first.
    for (const is_open of open.reverse()) {
      const one = details.pop();
      if (one) one.open = is_open;
    }
    if (!focused) return;
    const same = [...part.querySelectorAll(focused.tagName)].find((one) =>
      focused.hasAttribute('href')
        ? one.getAttribute('href') === focused.getAttribute('href')
        : one.textContent === focused.textContent,
    );
    if (same) same.focus();
  }

  function keepUpToDate(note) {
    let source = null;
    const say = (is_live) => {
      note.querySelector('[data-live-on]').hidden = !is_live;
      note.querySelector('[data-live-off]').hidden = is_live;
    };
    const open = () => {
      if (source) return;
      const { live, version } = note.dataset;
      const joint = live.includes('?') ? '&' : '?';
      source = new EventSource(`${live}${joint}version=${encodeURIComponent(version)}`);
      source.addEventListener('open', () => say(true));
      // Closed for good, such as after signing out: the link is left.
      source.addEventListener('error', () => {
        say(source !== null && source.readyState !== EventSource.CLOSED);
      });
      source.addEventListener('parts', ({ data, lastEventId }) => {
        note.dataset.version = lastEventId;
        for (const [name, html] of Object.entries(JSON.parse(data))) {
          const part = document.querySelector(`[data-live-part="${name}"]`);
          if (part) replacePart(part, html);
        }
        // Nothing changes any more, and the page has what comes next.
        if (document.querySelector('[data-over]')) location.reload();
      });
    };
    const close = () => {
      if (source) source.close();
      source = null;
    };
    // A browser has few connections to one host: a hidden tab must not hold one.
    const follow = () => (document.hidden ? close() : open());
    document.addEventListener('visibilitychange', follow);
    addEventListener('pagehide', close);
    addEventListener('pageshow', follow);
    follow();
  }
  if (window.EventSource) document.querySelectorAll('[data-live]').forEach(keepUpToDate);

  for (const form of document.forms) {
    if (!form.matches('[method=post]')) continue;
    form.addEventListener('submit', (event) => {
      if (form.dataset.sent) event.preventDefault();
      form.dataset.sent = 'yes';
      // A browser keeps what a field of text held.
      for (const button of form.querySelectorAll('button')) {
        if (!('shows' in button.dataset)) continue;
        button.parentElement.querySelector('input').type = 'password';
      }
    });
    addEventListener('pageshow', () => delete form.dataset.sent);
  }
})();
