// What makes the pages better in a browser with scripts: copy buttons, times in the reader's own zone, a
// button that is pressed once, and parts that update by themselves while somebody sees them.

export const DASHBOARD_SCRIPT = `'use strict';
(function () {
  var language = { en: 'en-GB', fr: 'fr-FR' }[document.documentElement.lang];
  function showLocalTimes(within) {
    within.querySelectorAll('time').forEach(function (time) {
      time.title = time.textContent;
      time.textContent = new Date(time.dateTime).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'exact' in time.dataset ? 'medium' : 'short' });
    });
  }
  showLocalTimes(document);

  document.querySelectorAll('[data-copy]').forEach(function (button) {
    button.hidden = false;
    var label = button.textContent;
    button.addEventListener('click', function () {
      navigator.clipboard.writeText(button.dataset.copy).then(function () {
        button.textContent = button.dataset.copied;
        setTimeout(function () { button.textContent = label; }, 2000);
      });
    });
  });

  // Keeps the keyboard where it was: on the same link, or on the same one of several.
  function replacePart(part, html) {
    var focused = part.contains(document.activeElement) ? document.activeElement : null;
    var open = Array.prototype.map.call(part.querySelectorAll('details'), function (one) { return one.open; });
    part.innerHTML = html;
    showLocalTimes(part);
    var details = part.querySelectorAll('details');
    // New attempts come first.
    open.reverse().forEach(function (isOpen, at) {
      var one = details[details.length - 1 - at];
      if (one) one.open = isOpen;
    });
    if (!focused) return;
    var same = Array.prototype.find.call(part.querySelectorAll(focused.tagName), function (one) {
      return focused.href ? one.href === focused.href : one.textContent === focused.textContent;
    });
    if (same) same.focus();
  }

  document.querySelectorAll('[data-live]').forEach(function (note) {
    if (!window.EventSource) return;
    var source = null;
    function say(isLive) {
      note.querySelector('[data-live-on]').hidden = !isLive;
      note.querySelector('[data-live-off]').hidden = isLive;
    }
    function open() {
      if (source) return;
      var url = note.dataset.live + (note.dataset.live.indexOf('?') < 0 ? '?' : '&') + 'version=' + encodeURIComponent(note.dataset.version);
      source = new EventSource(url);
      source.onopen = function () { say(true); };
      // Closed for good, such as after signing out: the link is left.
      source.onerror = function () { say(source !== null && source.readyState !== EventSource.CLOSED); };
      source.addEventListener('parts', function (event) {
        note.dataset.version = event.lastEventId;
        var parts = JSON.parse(event.data);
        Object.keys(parts).forEach(function (name) {
          var part = document.querySelector('[data-live-part="' + name + '"]');
          if (part) replacePart(part, parts[name]);
        });
      });
    }
    function close() {
      if (source) source.close();
      source = null;
    }
    // A browser has few connections to one host: a tab that nobody sees must not hold one.
    function follow() { if (document.hidden) close(); else open(); }
    document.addEventListener('visibilitychange', follow);
    addEventListener('pagehide', close);
    addEventListener('pageshow', follow);
    follow();
  });

  document.querySelectorAll('form[method=post]').forEach(function (form) {
    form.addEventListener('submit', function (event) {
      if (form.dataset.sent) { event.preventDefault(); return; }
      form.dataset.sent = 'yes';
    });
  });
  addEventListener('pageshow', function () {
    document.querySelectorAll('form[data-sent]').forEach(function (form) { delete form.dataset.sent; });
  });
})();
`;
