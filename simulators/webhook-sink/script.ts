// The script of the sink's list, inside the page and allowed by its hash. The page works without it.

import { createHash } from 'node:crypto';

// Looks for new arrivals every two seconds and puts them on top, unless the reader has paused it or has
// scrolled down to read: then it says how many there are, and a press shows them.
export const SCRIPT = `'use strict';
(function () {
  var list = document.getElementById('arrivals');
  var pause = document.getElementById('pause');
  var fresh = document.getElementById('fresh');
  var reload = document.getElementById('reload');
  var paused = false;
  var waiting = null;
  reload.hidden = true;
  pause.hidden = false;

  function show() {
    if (!waiting) return;
    list.innerHTML = waiting.innerHTML;
    list.dataset.count = waiting.dataset.count;
    waiting = null;
    fresh.hidden = true;
    document.title = 'Webhook sink';
  }
  function look() {
    if (document.hidden) return;
    fetch('/').then(function (response) { return response.text(); }).then(function (text) {
      var now = new DOMParser().parseFromString(text, 'text/html').getElementById('arrivals');
      var count = now.dataset.count - list.dataset.count;
      if (count === 0) return;
      waiting = now;
      if (!paused && scrollY < 100) { show(); return; }
      fresh.textContent = (count > 0 ? count + ' new: show' : 'The sink was restarted: show');
      fresh.hidden = false;
      document.title = (count > 0 ? '(' + count + ') ' : '') + 'Webhook sink';
    }).catch(function () { /* Stopped: it may come back. */ });
  }
  fresh.addEventListener('click', function () { show(); scrollTo(0, 0); });
  pause.addEventListener('click', function () {
    paused = !paused;
    pause.setAttribute('aria-pressed', String(paused));
    if (!paused) show();
  });
  addEventListener('scroll', function () { if (!paused && scrollY < 100) show(); });
  document.addEventListener('visibilitychange', look);
  setInterval(look, 2000);
})();
`;

export const SCRIPT_SOURCE = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;
