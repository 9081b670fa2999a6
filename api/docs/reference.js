// Starts the viewer of the reference. Calls go to where the page came from, whatever origin the
// document names: the page's policy allows no other. A live key is refused, because a press of a
// button here must not move money.

'use strict';
(() => {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const theme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', theme);
  theme();

  const LIVE = /[a-z0-9]_live_/;

  const authorizeTestKey = (original, system) => (payload) => {
    const [authId] = Object.keys(payload);
    system.errActions.clear({ authId, type: 'auth', source: 'auth' });
    if (!LIVE.test(payload[authId].value)) return original(payload);
    return system.errActions.newAuthErr({
      authId,
      level: 'error',
      source: 'auth',
      message: 'This page takes test keys only: a live key would move money.',
    });
  };
  const testKeysOnly = {
    statePlugins: { auth: { wrapActions: { authorize: authorizeTestKey } } },
  };

  // A live key is not sent, whichever way it got here.
  function guard(request) {
    const { headers = {} } = request;
    if (LIVE.test(String(headers.Authorization))) delete headers.Authorization;
    return request;
  }

  // The path of each operation is a link inside of its button, which a keyboard cannot tell apart:
  // it becomes text.
  const plainPaths = (system) => ({
    wrapComponents: {
      DeepLink: (Original) => (props) =>
        system.React.createElement(Original, { ...props, enabled: false }),
    },
  });

  // The viewer's own filter looks at the names of tags only.
  const textOf = (operation) =>
    [
      operation.get('method'),
      operation.get('path'),
      operation.getIn(['operation', 'summary']),
      operation.getIn(['operation', 'description']),
    ]
      .join(' ')
      .toLowerCase();
  const search = {
    fn: {
      opsFilter: (tags, phrase) =>
        tags
          .map((tag) =>
            tag.update('operations', (all) =>
              all.filter((one) => textOf(one).includes(phrase.trim().toLowerCase())),
            ),
          )
          .filter((tag) => tag.get('operations').size > 0),
    },
  };

  // The viewer's own programs are in curl only, and come with the answer of a call that was tried.
  let language = 'curl';
  const SYNTAX = { curl: 'bash', TypeScript: 'javascript' };
  const codeSamples = (samples, base_url) => (system) => {
    const { createElement: h, Fragment, useState } = system.React;
    function Samples({ of }) {
      const [chosen, choose] = useState(language);
      const buttonOf = ({ language: name }) => {
        const onClick = () => choose((language = name));
        return h('button', { key: name, 'aria-pressed': name === chosen, onClick }, name);
      };
      const key = system.authSelectors.authorized().getIn(['api_key', 'value']);
      const { text } = of.find((sample) => sample.language === chosen);
      const program = text
        .replaceAll(samples.places.service, new URL(base_url).origin)
        .replaceAll(samples.places.key, key || samples.places.key);
      const code = { language: SYNTAX[chosen], canCopy: true };
      return h(
        'div',
        { className: 'opblock-section samples' },
        h('div', { className: 'opblock-section-header' }, h('h4', null, 'Code samples')),
        h('div', { role: 'group', 'aria-label': 'Language' }, of.map(buttonOf)),
        h('div', null, h(system.getComponent('HighlightCode', true), code, program)),
      );
    }
    const responses = (Original) => (props) => {
      const of = samples.of[`${props.method} ${props.path}`];
      return h(Fragment, null, of && h(Samples, { of }), h(Original, props));
    };
    return { wrapComponents: { responses } };
  };

  // The viewer leaves these without a name, out of a keyboard's reach, or with a heading that skips
  // a level below the page's own.
  const MENDED = {
    '.information-container': { role: 'region', 'aria-label': 'Introduction' },
    '.scheme-container': { role: 'region', 'aria-label': 'Server and key' },
    '.info .title': { role: 'heading', 'aria-level': '2' },
    'section.models > h4, .webhooks h4': { role: 'heading', 'aria-level': '3' },
    '#servers': { 'aria-label': 'Server' },
    '.filter-container': { role: 'search', 'aria-label': 'Calls' },
    '.operation-filter-input': { 'aria-label': 'Search' },
    '.close-modal': { 'aria-label': 'Close' },
    '.modal-ux h6': { role: 'heading', 'aria-level': '5' },
    'pre.microlight, .highlight-code pre': { tabindex: '0' },
  };
  // The viewer gives buttons another name than the one that is to be seen, and tables another role.
  const REMOVED = { '.modal-btn': 'aria-label', 'table[role=region]': 'role' };

  function mend() {
    for (const [selector, attributes] of Object.entries(MENDED)) {
      for (const element of document.querySelectorAll(selector)) {
        for (const [name, value] of Object.entries(attributes)) {
          if (!element.hasAttribute(name)) element.setAttribute(name, value);
        }
      }
    }
    for (const [selector, name] of Object.entries(REMOVED)) {
      for (const element of document.querySelectorAll(selector)) element.removeAttribute(name);
    }
  }
  const domNode = document.getElementById('reference');
  new MutationObserver(mend).observe(domNode, { childList: true, subtree: true });

  function start([spec, samples]) {
    const servers = spec.servers.map(({ url }) => ({
      url: new URL(url, location.href).pathname,
    }));
    /** @type {any} */ (window).SwaggerUIBundle({
      spec: { ...spec, servers },
      domNode,
      deepLinking: true,
      plugins: [
        plainPaths,
        testKeysOnly,
        search,
        codeSamples(samples, new URL(servers[0].url, location.href).href),
      ],
      filter: true,
      defaultModelsExpandDepth: 0,
      docExpansion: 'list',
      displayRequestDuration: true,
      requestInterceptor: guard,
      syntaxHighlight: { activated: true, theme: 'tomorrow-night' },
      validatorUrl: null,
    });
  }
  const read = (url) => fetch(url).then((response) => response.json());
  void Promise.all([read('/openapi.json'), read(domNode.dataset.samples)]).then(start);
})();
