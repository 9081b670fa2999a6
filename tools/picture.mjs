// npm run picture
//
// Takes the README's picture of the dashboard, in Chromium, from the running system of `npm start`. CHROMIUM
// names the browser; by default it is /usr/bin/chromium.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { root } from './build.mjs';

const demo = JSON.parse(readFileSync(join(root, '.data', 'demo.json'), 'utf8'));
const [{ username, password, test_key }] = demo.users;
const folder = join(root, 'docs', 'images');

// So that the overview has something to show.
for (const amount of [12500, 4000, 75000]) {
  await fetch(`${demo.base_url}/transfers`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${test_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ to_username: demo.users[1].username, currency: 'XOF', amount }),
  });
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const page = await browser.newPage({
    viewport: { width: 1180, height: 760 },
    locale: 'en-GB',
    timezoneId: 'UTC',
  });
  await page.goto(`${demo.dashboard_url}/sign-in`);
  await page.fill('[name=username]', username);
  await page.fill('[name=password]', password);
  await page.click('main button[type=submit]');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, 'dashboard.png') });
  console.log(`Wrote ${join('docs', 'images', 'dashboard.png')}.`);
} finally {
  await browser.close();
}
