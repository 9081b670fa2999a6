// The script of the sink's list, which works without it. It looks for new arrivals every two seconds and shows them,
// unless the reader has paused it or has scrolled down to read: then it only says how many there are.

(() => {
  const pause = document.querySelector('input');
  pause.parentElement.hidden = false;

  async function look() {
    if (document.hidden) return;
    const text = await (await fetch('/')).text();
    const latest = new DOMParser().parseFromString(text, 'text/html').getElementById('arrivals');
    const list = document.getElementById('arrivals');
    const count = Number(latest.dataset.count) - Number(list.dataset.count);
    const is_held = count !== 0 && (pause.checked || scrollY > 100);
    pause.nextElementSibling.textContent = is_held ? `(${count} new)` : '';
    if (count !== 0 && !is_held) list.replaceWith(latest);
  }
  // A sink that was stopped may come back.
  setInterval(() => void look().catch(() => {}), 2000);
})();
