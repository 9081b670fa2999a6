// Starts the viewer, in the browser.

// Calls go to where the page came from, whatever origin the document names: the page's policy allows no
// other. A live key is refused, because a press of a button here must not move money.
export const REFERENCE_SCRIPT = `'use strict';
(function () {
  var dark = matchMedia('(prefers-color-scheme: dark)');
  function theme() { document.documentElement.classList.toggle('dark-mode', dark.matches); }
  dark.addEventListener('change', theme);
  theme();

  var LIVE = /[a-z0-9]_live_/;

  function testKeysOnly() {
    return {
      statePlugins: {
        auth: {
          wrapActions: {
            authorize: function (original, system) {
              return function (payload) {
                var name = Object.keys(payload)[0];
                system.errActions.clear({ authId: name, type: 'auth', source: 'auth' });
                if (!LIVE.test(payload[name].value)) return original(payload);
                return system.errActions.newAuthErr({
                  authId: name, level: 'error', source: 'auth',
                  message: 'This page takes test keys only: a live key would move money.'
                });
              };
            }
          }
        }
      }
    };
  }

  // Whichever way a live key got here.
  function guard(request) {
    if (LIVE.test(String((request.headers || {}).Authorization))) delete request.headers.Authorization;
    return request;
  }

  // The path of each operation is a link inside of its button, which a keyboard cannot tell apart: text.
  function plainPaths(system) {
    return {
      wrapComponents: {
        DeepLink: function (Original) {
          return function (props) {
            return system.React.createElement(Original, Object.assign({}, props, { enabled: false }));
          };
        }
      }
    };
  }

  // What the viewer leaves without a name, what a keyboard must reach to scroll it, and headings that would
  // skip a level below the page's own.
  var MENDED = {
    '.information-container': { role: 'region', 'aria-label': 'Introduction' },
    '.scheme-container': { role: 'region', 'aria-label': 'Server and key' },
    '.info .title': { role: 'heading', 'aria-level': '2' },
    'section.models > h4, .webhooks h4': { role: 'heading', 'aria-level': '3' },
    '#servers': { 'aria-label': 'Server' },
    '.close-modal': { 'aria-label': 'Close' },
    '.modal-ux h6': { role: 'heading', 'aria-level': '5' },
    'pre.microlight, .highlight-code pre': { tabindex: '0' }
  };

  function mend() {
    Object.keys(MENDED).forEach(function (selector) {
      var attributes = MENDED[selector];
      document.querySelectorAll(selector).forEach(function (element) {
        Object.keys(attributes).forEach(function (name) {
          if (!element.hasAttribute(name)) element.setAttribute(name, attributes[name]);
        });
      });
    });
  }
  // The viewer gives buttons another name than the one that is to be seen, and tables another role.
  function unname() {
    document.querySelectorAll('.modal-btn[aria-label]').forEach(function (button) {
      button.removeAttribute('aria-label');
    });
    document.querySelectorAll('table[role=region]').forEach(function (table) {
      table.removeAttribute('role');
    });
  }
  var place = document.getElementById('reference');
  new MutationObserver(function () { mend(); unname(); }).observe(place, { childList: true, subtree: true });

  fetch('/openapi.json').then(function (response) { return response.json(); }).then(function (spec) {
    spec.servers = spec.servers.map(function (server) {
      return { url: new URL(server.url, location.href).pathname };
    });
    SwaggerUIBundle({
      spec: spec,
      domNode: place,
      deepLinking: true,
      plugins: [plainPaths, testKeysOnly],
      defaultModelsExpandDepth: 0,
      docExpansion: 'list',
      displayRequestDuration: true,
      requestInterceptor: guard,
      syntaxHighlight: { activated: true, theme: 'tomorrow-night' },
      validatorUrl: null
    });
  });
})();
`;
