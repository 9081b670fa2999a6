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

  // A photo becomes the small PNG that the server takes. What the browser cannot read is sent as it is, and refused.
  async function makeSmall(field) {
    const [file] = field.files;
    const picture = file && (await createImageBitmap(file).catch(() => undefined));
    if (!picture) return;
    const { width, height } = picture;
    const scale = Math.min(1, Number(field.dataset.side) / Math.max(width, height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(picture, 0, 0, canvas.width, canvas.height);
    const png = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const files = new DataTransfer();
    files.items.add(new File([png], 'logo.png', { type: 'image/png' }));
    field.files = files.files;
  }
  /** @type {NodeListOf<HTMLInputElement>} */
  const photos = document.querySelectorAll('input[data-side]');
  for (const field of photos) {
    field.addEventListener('change', () => {
      const button = field.form.querySelector('button');
      button.disabled = true;
      void makeSmall(field).finally(() => (button.disabled = false));
    });
  }

  // Buttons that nothing works without a script stay hidden until here.
  function showButtons(within) {
    for (const button of within.querySelectorAll('button[hidden]')) {
      button.hidden = 'share' in button.dataset && !navigator.share;
    }
  }

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
    // A person who closes the list of apps has shared nothing, which is no fault.
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

  // Keeps the keyboard where it was, on the same link or the same one of several, and what was opened and scrolled.
  function replacePart(part, html) {
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const before = Array.from(part.querySelectorAll('details, pre'), (one) => [
      one.open,
      one.scrollTop,
    ]);
    part.innerHTML = html;
    showLocalTimes(part);
    showButtons(part);
    const after = [...part.querySelectorAll('details, pre')];
    // New attempts come first.
    const added = after.length - before.length;
    before.forEach(([open, scrollTop], index) => {
      const one = after[index + added];
      if (one) Object.assign(one, { open, scrollTop });
    });
    if (!focused) return;
    const same = [...part.querySelectorAll(focused.tagName)].find((one) =>
      focused.hasAttribute('href')
        ? one.getAttribute('href') === focused.getAttribute('href')
        : one.textContent === focused.textContent,
    );
    if (same) same.focus({ preventScroll: true });
  }

  // Long enough for a customer to pay, then slower: a page is left open for hours.
  const QUICK = { pause: 2500, looks: 120 };
  const SLOW_PAUSE = 15000;

  function keepUpToDate(note) {
    const parts = [...document.querySelectorAll('[data-live-part]')];
    const sent = new Map(parts.map((part) => [part, part.innerHTML]));
    let version = 'none';
    let quiet = 0;
    let timer;
    let is_looking = false;
    let is_over = false;
    const say = (is_live) => {
      note.querySelector('[data-live-on]').hidden = !is_live;
      note.querySelector('[data-live-off]').hidden = is_live;
    };
    const plan = (pause) => {
      clearTimeout(timer);
      if (!document.hidden && !is_over) timer = setTimeout(() => void look(), pause);
    };
    const end = () => {
      is_over = true;
      say(false);
    };
    const take = (html) => {
      const news = new DOMParser().parseFromString(html, 'text/html');
      const other = news.querySelector('[data-live]');
      // Another tab shows another account or language now.
      if (other && other.getAttribute('data-live') !== note.dataset.live) return end();
      const found = news.querySelectorAll('[data-live-part]');
      for (const part of parts) {
        const name = part.getAttribute('data-live-part');
        const one = [...found].find((other) => other.getAttribute('data-live-part') === name);
        // A part that is the same stays: a screen reader says nothing of it.
        if (!one || one.innerHTML === sent.get(part)) continue;
        sent.set(part, one.innerHTML);
        replacePart(part, one.innerHTML);
      }
      if (other) return;
      end();
      // Nothing changes any more.
      if (found.length > 0) note.remove();
    };
    const look = async () => {
      if (is_looking || is_over) return;
      is_looking = true;
      const headers = { 'Page-Version': version };
      const signal = AbortSignal.timeout(30000);
      const answer = await fetch(location.href, { headers, redirect: 'manual', signal }).catch(
        () => undefined,
      );
      const html = answer && answer.ok ? await answer.text().catch(() => undefined) : undefined;
      is_looking = false;
      const is_away = !answer || answer.status >= 500 || answer.status === 429;
      if (!is_away && !answer.ok) return end();
      if (html) {
        version = answer.headers.get('Page-Version');
        quiet = 0;
        take(html);
      } else quiet += 1;
      if (!is_over) say(!is_away);
      plan(is_away || quiet > QUICK.looks ? SLOW_PAUSE : QUICK.pause);
    };
    // A tab that is not seen asks nothing, and catches up when it is.
    const follow = () => {
      quiet = 0;
      plan(0);
    };
    document.addEventListener('visibilitychange', follow);
    addEventListener('pageshow', ({ persisted }) => persisted && follow());
    say(true);
    plan(QUICK.pause);
  }
  // Before times and buttons are changed: what comes later is compared with what was sent.
  document.querySelectorAll('[data-live]').forEach(keepUpToDate);
  showLocalTimes(document);
  showButtons(document);

  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches('[method=post]')) return;
    if (form.dataset.sent) event.preventDefault();
    form.dataset.sent = 'yes';
    // A browser keeps what a field of text held.
    for (const button of form.querySelectorAll('button')) {
      if (!('shows' in button.dataset)) continue;
      button.parentElement.querySelector('input').type = 'password';
    }
  });
  addEventListener('pageshow', () => {
    for (const form of document.forms) delete form.dataset.sent;
  });
})();
