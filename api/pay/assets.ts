// The two static files of the pay page. The page works without them.

import { ICON, makeAsset, type Asset } from '../../pages/assets';

// Shows times in the reader's own zone, disables the button once it is pressed, and keeps the page up to
// date: it polls the payment's state with growing pauses while it waits, and at once when the reader
// comes back to it. When the state differs from the one that the page was rendered from, it reloads. A page
// that leads on to the shop does so after a moment, in the place of this page: the way back does not stop here.
const SCRIPT = `'use strict';
(function () {
  var FIRST_PAUSE = 2000, LONGEST_PAUSE = 30000, GROWTH = 1.25;
  var main = document.querySelector('main');
  var locale = document.documentElement.lang === 'fr' ? 'fr-FR' : 'en-GB';
  var times = document.querySelectorAll('time');
  for (var i = 0; i < times.length; i += 1) {
    times[i].textContent = new Date(times[i].dateTime).toLocaleString(locale, {
      day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short'
    });
  }

  var button = document.querySelector('form button');
  if (button) {
    var label = button.textContent;
    button.form.addEventListener('submit', function () {
      button.disabled = true;
      button.textContent = button.dataset.busy;
    });
  }
  var print_button = document.querySelector('[data-print]');
  if (print_button) {
    print_button.hidden = false;
    print_button.addEventListener('click', function () { print(); });
  }

  if (main.dataset.leave) setTimeout(function () {
    location.replace(main.dataset.leave);
  }, main.dataset.leaveAfter * 1000);

  addEventListener('pageshow', function (event) {
    if (!event.persisted) return;
    if (button) {
      button.disabled = false;
      button.textContent = label;
    }
    ask();
  });

  var page = main.dataset.page;
  if (!page) return;
  var pause = FIRST_PAUSE, timer, asking = false;

  function ask() {
    if (!page || asking) return;
    asking = true;
    fetch(main.dataset.status, { cache: 'no-store' }).then(function (answer) {
      return answer.ok ? answer.text() : main.dataset.state;
    }).catch(function () {
      return main.dataset.state;
    }).then(function (state) {
      asking = false;
      if (state !== main.dataset.state) location.replace(page);
      else wait();
    });
  }

  function wait() {
    clearTimeout(timer);
    if (!main.hasAttribute('data-waiting') || document.hidden) return;
    timer = setTimeout(ask, pause);
    pause = Math.min(pause * GROWTH, LONGEST_PAUSE);
  }

  document.addEventListener('visibilitychange', function () {
    clearTimeout(timer);
    if (document.hidden) return;
    pause = FIRST_PAUSE;
    ask();
  });
  wait();
})();
`;

export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['pay.js', makeAsset('text/javascript; charset=utf-8', SCRIPT)],
  ['icon.svg', ICON],
]);

export function assetUrl(name: 'pay.js' | 'icon.svg'): string {
  return `/p/assets/${name}?v=${ASSETS.get(name)!.version}`;
}
