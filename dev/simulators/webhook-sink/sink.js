// The script of the sink's list, inside of the page, which works without it. It looks for new
// arrivals every two seconds and puts them on top, unless the reader has paused it or has scrolled
// down to read: then it says how many there are, and a press shows them.

'use strict';
(() => {
  const list = document.getElementById('arrivals');
  const pause = document.getElementById('pause');
  const fresh = document.getElementById('fresh');
  let is_paused = false;
  let waiting = null;
  document.getElementById('reload').hidden = true;
  pause.hidden = false;

  const isAtTop = () => !is_paused && scrollY < 100;

  function show() {
    if (!waiting) return;
    list.innerHTML = waiting.innerHTML;
    list.dataset.count = waiting.dataset.count;
    waiting = null;
    fresh.hidden = true;
    document.title = 'Webhook sink';
  }
  function compare(text) {
    const now = new DOMParser().parseFromString(text, 'text/html').getElementById('arrivals');
    const count = Number(now.dataset.count) - Number(list.dataset.count);
    if (count === 0) return;
    waiting = now;
    if (isAtTop()) {
      show();
      return;
    }
    fresh.textContent = count > 0 ? `${count} new: show` : 'The sink was restarted: show';
    fresh.hidden = false;
    document.title = `${count > 0 ? `(${count}) ` : ''}Webhook sink`;
  }
  function look() {
    if (document.hidden) return;
    fetch('/')
      .then((response) => response.text())
      .then(compare)
      .catch(() => {
        // Stopped: it may come back.
      });
  }
  fresh.addEventListener('click', () => {
    show();
    scrollTo(0, 0);
  });
  pause.addEventListener('click', () => {
    is_paused = !is_paused;
    pause.setAttribute('aria-pressed', String(is_paused));
    if (!is_paused) show();
  });
  addEventListener('scroll', () => {
    if (isAtTop()) show();
  });
  document.addEventListener('visibilitychange', look);
  setInterval(look, 2000);
})();
