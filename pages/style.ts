// What the style sheets of all pages for people begin with: colours for light and dark, and the font. Each
// text has a contrast of at least 4.5 : 1 on what it stands on (WCAG 2.2, 1.4.3).

export const BASE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f5f3; --card: #ffffff; --line: #e3e6e2; --edge: #84908a; --text: #16201c; --soft: #56625d;
  --accent: #0b6b50; --accent-strong: #08543f; --on-accent: #ffffff; --accent-tint: #e3f1ec;
  --warn: #8a4b08; --warn-tint: #fdf1dc; --bad: #a3281f; --bad-tint: #fbe9e7; --quiet-tint: #eceeec;
  --shadow: 0 1px 2px rgb(16 32 26 / .05), 0 12px 40px rgb(16 32 26 / .07);
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1311; --card: #171d1a; --line: #2a332f; --edge: #6b7872; --text: #eaf0ed; --soft: #9fada7;
    --accent: #46c99c; --accent-strong: #6ad9b2; --on-accent: #06231a; --accent-tint: #17352b;
    --warn: #f0bd6c; --warn-tint: #382a12; --bad: #f49a91; --bad-tint: #3c1d1a; --quiet-tint: #252d29;
    --shadow: none;
  }
}
* { box-sizing: border-box; margin: 0; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  min-height: 100vh; min-height: 100dvh; color: var(--text); overflow-wrap: anywhere;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
`;
