// A real browser for the tests of pages: whichever Chromium the machine has.

import { accessSync, constants, mkdirSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { closeAfterFile } from '../support/cleanup';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The path in CHROMIUM, or the first of the usual names on PATH. */
export function findChromium(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
  const named = process.env['CHROMIUM'] ? [process.env['CHROMIUM']] : [];
  const usual = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...named, ...usual].find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    // Not there, or not ours to run: the next one may be.
    return false;
  }
}

/** A `describe` that is skipped, with the reason in its title, where there is no Chromium. */
export function describeInBrowser(title: string, tests: () => void): void {
  if (findChromium() !== undefined) {
    describe(title, () => {
      afterEach(closePages);
      tests();
    });
    return;
  }
  // The house has no skipped tests. A machine without a browser is the exception, and says so.
  const describeSkipped = describe['skip'];
  const reason = `no Chromium: set CHROMIUM, or install one of ${NAMES.join(', ')}`;
  process.stderr.write(`Skipped: ${title} (${reason})\n`);
  describeSkipped(`${title} (skipped: ${reason})`, tests);
}

let running: Promise<Browser> | undefined;
let contexts: BrowserContext[] = [];

/** Pages that are left open go on to ask, and take their share of the machine. */
async function closePages(): Promise<void> {
  if (hasFailed()) await tellWhatTheyShow();
  await Promise.all(contexts.map((context) => context.close()));
  contexts = [];
}

/** Set by test/support/shared-environment.js. */
function hasFailed(): boolean {
  return (globalThis as { testFailed?: boolean }).testFailed === true;
}

async function tellWhatTheyShow(): Promise<void> {
  for (const page of contexts.flatMap((context) => context.pages())) {
    const text = await page.evaluate<string>('document.body.innerText').catch(String);
    console.error(`The page ${page.url()} shows:\n${text}`);
  }
}

/** One browser serves a test file. */
function openBrowser(): Promise<Browser> {
  running ??= chromium
    // Its sandbox needs rights that containers lack; the pages are our own.
    .launch({ executablePath: findChromium()!, args: ['--no-sandbox', '--disable-gpu'] })
    .then((browser) => {
      closeAfterFile(() => {
        running = undefined;
        return browser.close();
      });
      return browser;
    });
  return running;
}

export interface OpenPage {
  readonly page: Page;
  /** The console's complaints, and the page's thrown errors. */
  readonly problems: readonly string[];
}

/** A page with cookies, cache and window of its own. */
export async function openPage(options: BrowserContextOptions = {}): Promise<OpenPage> {
  const browser = await openBrowser();
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'UTC', ...options });
  contexts.push(context);
  const page = await context.newPage();
  // The limit of a test is longer, so that a failure says what it waited for.
  page.setDefaultTimeout(120_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  return { page, problems };
}

/** What most shop owners look at. */
export const PHONE = { locale: 'fr-FR', viewport: { width: 390, height: 844 } } as const;

/** A test runs so and so; the rest of its title, and whether there is a script. */
export const WITH_AND_WITHOUT = [
  ['with a script', true],
  ['without one', false],
] as const;

/** A page of the dashboard, in the browser of somebody who is signed in. */
export async function openAs(
  { origin: url }: { readonly origin: string },
  { cookies }: { readonly cookies: ReadonlyMap<string, string> },
  path: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const opened = await openPage(options);
  // The browser's own language is the one that is tried.
  const kept = [...cookies].filter(([name]) => !name.includes('lang'));
  const context = opened.page.context();
  await context.addCookies(kept.map(([name, value]) => ({ name, value, url })));
  await opened.page.goto(`${url}/dashboard${path}`);
  return opened;
}

export const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('main').getByRole('button', { name, exact: true }).click();

export const heading = (page: Page, name: string | RegExp): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

export async function fillIn(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
}

/** The spaces of French amounts are not those of tests. */
export const plain = (text: string): string => text.replace(/\s/g, ' ');

/** How far a page can be scrolled sideways, in pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

/** Words of letters alone that a narrow column has broken: `remboursabl/e`. */
function brokenWords(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const broken = [];
    const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode;
      // The head of a table is for screen readers there.
      if (text.parentElement.closest('thead')) continue;
      for (const { 0: word, index } of text.data.matchAll(/(?<!\\S)\\p{L}{2,20}(?!\\S)/gu)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        const lines = new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top)));
        if (lines.size > 1) broken.push(word);
      }
    }
    return broken;
  })()`);
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * Faults that axe-core finds, by which not everyone can read or use the page, or a part of it.
 * @param rules all of them when left out
 */
export async function violationsOf(
  page: Page,
  part = 'html',
  rules?: readonly string[],
): Promise<string[]> {
  // Evaluated and not added as a script element, which the page's policy refuses.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
  const violations = await page.evaluate<Violation[]>(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify({
      resultTypes: ['violations'],
      ...(rules && { runOnly: rules }),
    })}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}

interface Look {
  readonly colorScheme: 'dark' | 'light';
  readonly width: number;
  readonly height: number;
  readonly rules?: readonly string[];
}

/** What a look shares with the first is not looked at twice. */
const LOOKS: Readonly<Record<string, Look>> = {
  'phone-dark': { colorScheme: 'dark', width: 390, height: 844 },
  'desktop-light': { colorScheme: 'light', width: 1280, height: 900, rules: ['color-contrast'] },
};

/** A page hears of another colour scheme or size with its next frame; a second one shows it. */
async function nextFrame(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((shown) => requestAnimationFrame(() => requestAnimationFrame(shown)))',
  );
}

/**
 * Expects that axe-core finds nothing, and that nothing is cut off and no word broken, light and dark, desktop and phone.
 * @param part a selector: of a page with thousands of elements only what the test has opened
 */
export async function expectReadable(page: Page, name: string, part?: string): Promise<void> {
  for (const [look, { colorScheme, rules, ...size }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    await nextFrame(page);
    await keepScreenshot(page, `${name}-${look}`);
    expect([name, look, await sidewaysScroll(page)]).toEqual([name, look, 0]);
    // Not where developers read code, whose names are long.
    const is_for_all = /\/(?:dashboard|p|l)\b/.test(new URL(page.url()).pathname);
    if (is_for_all && size.width === PHONE.viewport.width) {
      expect([name, await brokenWords(page)]).toEqual([name, []]);
    }
    expect([name, look, await violationsOf(page, part, rules)]).toEqual([name, look, []]);
  }
}

/** Keeps a picture in the folder that SCREENSHOTS names, for people to look at. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
