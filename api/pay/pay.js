// The script of the pay page, which works without it. It shows times in the reader's own zone,
// disables the button of a form once it is pressed, proposes the operator of the number that is typed, and
// keeps the page up to date: until nothing can change any more it polls the payment's state with growing
// pauses, and at once when the reader comes back to it.
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

  for (const form of document.forms) {
    const button = form.querySelector('button');
    const label = button.textContent;
    form.addEventListener('submit', () => {
      button.disabled = true;
      button.textContent = button.dataset.busy;
    });
    addEventListener('pageshow', (event) => {
      if (!event.persisted) return;
      button.disabled = false;
      button.textContent = label;
    });
  }
  for (const one of document.querySelectorAll('button')) {
    if (!('print' in one.dataset)) continue;
    one.hidden = false;
    one.addEventListener('click', () => print());
  }

  // The server does the same (phone-form.ts): a number without its country's code, which has four characters, is of a
  // country that is not folded away.
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = document.querySelectorAll('input:enabled');
  const phone = [...inputs].find((one) => one.type === 'tel');
  const operators = [...inputs].filter((one) => one.name === 'operator');
  let isChosen = operators.some((one) => one.checked);
  for (const one of operators) one.addEventListener('change', () => (isChosen = true));
  function propose() {
    if (isChosen) return;
    const number = phone.value.replace(/[^+\d]/g, '').replace(/^00/, '+');
    const isOf = (one) => (prefix) =>
      prefix.length > 4 &&
      (number.startsWith(prefix) || (!one.closest('details') && isLocal(number, prefix)));
    const found = operators.find((one) => one.dataset.prefixes.split(' ').some(isOf(one)));
    for (const one of operators) one.checked = one === found;
    const folded = found && found.closest('details');
    if (folded) folded.open = true;
  }
  function isLocal(number, prefix) {
    return number.startsWith(prefix.slice(4)) || number.startsWith(prefix.slice(1));
  }
  if (phone) {
    phone.addEventListener('input', propose);
    propose();
  }

  if (main.dataset.leave) {
    setTimeout(() => location.replace(main.dataset.leave), Number(main.dataset.leaveAfter) * 1000);
  }

  addEventListener('pageshow', (event) => {
    if (event.persisted) ask();
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
