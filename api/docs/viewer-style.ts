// What the reference changes of the viewer's look: colours that are too faint for their ground (WCAG 2.2,
// 1.4.3), and the frame of our own pages.

export const REFERENCE_STYLE = `
header.reference { max-width: 1460px; margin: 0 auto; padding: 2rem 20px 0; }
.swagger-ui .info { margin: 1.5rem 0; }
.swagger-ui .info .title { font: inherit; font-size: 1.25rem; font-weight: 600; }
.swagger-ui .info .description { max-width: 56rem; }
/* Nothing fades: colours follow the theme at once. */
.swagger-ui * { transition: none !important; }
/* A refused key is told beside its field. */
.swagger-ui .errors-wrapper { display: none; }
main#operations { max-width: none; margin: 0; padding: 0; }
@media (min-width: 40rem) { .swagger-ui .parameter__name { overflow-wrap: normal; } }
.swagger-ui .scheme-container { padding: 1rem 0; }
html.dark-mode .swagger-ui { background: var(--page); }
html.dark-mode .swagger-ui td.header-col, html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
html:not(.dark-mode) .swagger-ui .info .title small { background: #565d6b; }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6212; }
html:not(.dark-mode) .swagger-ui .info a,
html:not(.dark-mode) .swagger-ui a.link,
html:not(.dark-mode) .swagger-ui .markdown a,
html:not(.dark-mode) .swagger-ui .renderedMarkdown a { color: var(--accent); }
html:not(.dark-mode) .swagger-ui .btn.authorize { color: var(--accent); border-color: var(--accent); }
html:not(.dark-mode) .swagger-ui .btn.authorize svg,
html:not(.dark-mode) .swagger-ui .authorization__btn svg { fill: var(--accent); }
html:not(.dark-mode) .swagger-ui .btn.cancel { color: #b3261e; border-color: #b3261e; }
html:not(.dark-mode) .swagger-ui .btn.execute { background: #1b62b5; border-color: #1b62b5; }
html:not(.dark-mode) .swagger-ui .download-contents { background: #454b57; }
html:not(.dark-mode) .swagger-ui .auth-container .errors { color: #8f1d16; background: #fbe9e7; }
html:not(.dark-mode) .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b62b5; }
html:not(.dark-mode) .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #0b6b50; }
html:not(.dark-mode) .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0b6470; }
html:not(.dark-mode) .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
html:not(.dark-mode) .swagger-ui .markdown code,
html:not(.dark-mode) .swagger-ui .renderedMarkdown code { color: #6a0bbf; }
html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message,
html:not(.dark-mode) .swagger-ui .response-control-media-type__accept-message code { color: #00600a; }
html:not(.dark-mode) .swagger-ui .parameter__in,
html:not(.dark-mode) .swagger-ui .parameter__type,
html:not(.dark-mode) .swagger-ui .prop-format { color: #545a64; }
`;
