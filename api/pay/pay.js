// The script of the pay page, which works without it. It shows times in the reader's own zone,
// disables the button once it is pressed, and keeps the page up to date: until nothing can change any
// more it polls the payment's state with growing pauses, and at once when the reader comes back to it.
// When the state differs from the one that the page was rendered from, it reloads. A page that leads on
// to the shop does so after a moment, in the place of this page: the way back does not stop here.

'use strict';
(() => {
  const FIRST_PAUSE = 2000;
  const LONGEST_PAUSE = 30000;
  const GROWTH = 1.25;

  const main = document.querySelector('main');
  const locale = document.documentElement.lang === 'fr' ? 'fr-FR' : 'en-GB';
  for (const time of document.querySelectorAll('time')) {
    time.textContent = new Date(time.dateTime).toLocaleString(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    });
  }

  const [form] = document.forms;
  const button = form && form.querySelector('button');
  const label = button && button.textContent;
  if (button) {
    form.addEventListener('submit', () => {
      button.disabled = true;
      button.textContent = button.dataset.busy;
    });
  }
  for (const one of document.querySelectorAll('button')) {
    if (!('print' in one.dataset)) continue;
    one.hidden = false;
    one.addEventListener('click', () => print());
  }

  if (main.dataset.leave) {
    setTimeout(() => location.replace(main.dataset.leave), Number(main.dataset.leaveAfter) * 1000);
  }

  addEventListener('pageshow', (event) => {
    if (!event.persisted) return;
    if (button) {
      button.disabled = false;
      button.textContent = label;
    }
    ask();
  });

  const { page, status, state } = main.dataset;
  if (!page) return;
  let pause = FIRST_PAUSE;
  let timer;
  let asking = false;

  function ask() {
    if (!page || asking) return;
    asking = true;
    // A phone that changes its network may leave a request without an end.
    const signal = AbortSignal.timeout && AbortSignal.timeout(20000);
    void fetch(status, { cache: 'no-store', signal })
      .then((answer) => (answer.ok ? answer.text() : state))
      .catch(() => state)
      .then((now) => {
        asking = false;
        if (now !== state) location.replace(page);
        else wait();
      });
  }

  function wait() {
    clearTimeout(timer);
    if (document.hidden) return;
    timer = setTimeout(ask, pause);
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE);
  }

  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer);
    if (document.hidden) return;
    pause = FIRST_PAUSE;
    ask();
  });
  wait();
})();
