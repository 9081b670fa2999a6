// What makes the pages better in a browser with scripts: copy buttons, times in the reader's own zone, and
// a button that is pressed once.

export const DASHBOARD_SCRIPT = `'use strict';
(function () {
  var language = document.documentElement.lang;
  document.querySelectorAll('time').forEach(function (time) {
    time.title = time.textContent;
    time.textContent = new Date(time.dateTime).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
  });

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
