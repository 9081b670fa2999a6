// npm run picture:figures [-- MINUTES]
//
// Takes the picture of docs/operations.md: the panels of deploy/grafana/payment-api.json, asked of a real
// Prometheus that has watched the running system of `npm start` under some load for so many minutes (5).
// Grafana draws them finer; the queries and the figures are the same. Needs `prometheus` on the PATH and Chromium.

import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { root } from './build.mjs';

const WIDTH = 1440;
const COLUMN = WIDTH / 24;
const ROW = 30;
const STEP_SECONDS = 5;
const COLOURS = [
  '#1f6f54',
  '#b7791f',
  '#2b6cb0',
  '#9b2c2c',
  '#6b46c1',
  '#2c7a7b',
  '#975a16',
  '#4a5568',
];

const minutes = Number(process.argv[2] ?? 5);
const demo = JSON.parse(readFileSync(join(root, '.data', 'demo.json'), 'utf8'));
const [merchant, customer] = demo.users;
const { panels } = JSON.parse(
  readFileSync(join(root, 'deploy', 'grafana', 'payment-api.json'), 'utf8'),
);

const key = makeKey();
const folder = mkdtempSync(join(tmpdir(), 'payment-api-figures-'));
const prometheus = await startPrometheus();
try {
  const began = Date.now() / 1000;
  await load(minutes * 60_000);
  const drawn = await Promise.all(panels.map((panel) => draw(panel, began, Date.now() / 1000)));
  await takePicture(drawn.join(''));
} finally {
  prometheus.child.kill();
  await prometheus.ended;
  rmSync(folder, { recursive: true, force: true });
}

/** The demo's own may make 30 writes a minute. */
function makeKey() {
  const limits = ['--requests-per-minute', '100000', '--writes-per-minute', '100000'];
  const command = [
    'keys',
    'create',
    '--user',
    merchant.username,
    '--environment',
    'live',
    ...limits,
  ];
  const options = ['run', '--silent', 'cli', '--', ...command, '--actor', 'picture', '--json'];
  return JSON.parse(execFileSync('npm', options, { cwd: root, encoding: 'utf8' })).key;
}

async function startPrometheus() {
  const file = join(folder, 'prometheus.yml');
  const targets = demo.metrics_urls.map((url) => new URL(url).host);
  const scrape_configs = [{ job_name: 'payment-api', static_configs: [{ targets }] }];
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ global: { scrape_interval: '2s' }, scrape_configs }));
  const address = `127.0.0.1:${await freePort()}`;
  const options = [
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
    '--log.level=error',
  ];
  const child = spawn('prometheus', options, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = `http://${address}`;
  const isReady = () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (child.exitCode === null && !(await isReady())) await delay(100);
  return { child, ended, url };
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Transfers, refusals, reads, and links that are paid at the simulator: more and fewer by turns. */
async function load(length_ms) {
  const until = Date.now() + length_ms;
  let round = 0;
  while (Date.now() < until) {
    round += 1;
    const at_once = 4 + Math.round(3 * Math.sin(round / 40));
    await Promise.all(Array.from({ length: at_once }, (_, i) => act(round + i)));
    await delay(100);
  }
}

async function act(n) {
  const amount = 5 + (n % 20);
  const transfer = { to_username: customer.username, currency: 'XOF', amount };
  if (n % 11 === 0) return call('GET', '/transactions');
  if (n % 7 === 0) return payLink(amount);
  if (n % 29 === 0) return call('POST', '/transfers', { ...transfer, to_username: 'nobody-here' });
  return call('POST', '/transfers', transfer);
}

async function payLink(amount) {
  const body = { currency: 'XOF', amount, description: 'Order 1042' };
  const { checkout_url } = await call('POST', '/payment-intents', body);
  if (checkout_url === undefined) return;
  const form = new URLSearchParams({ action: 'pay' });
  await fetch(checkout_url, { method: 'POST', body: form, redirect: 'manual' });
}

async function call(method, path, body) {
  const response = await fetch(`${demo.base_url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${key}`,
      ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }),
    },
    body: body && JSON.stringify(body),
  });
  return response.json();
}

async function draw({ type, title, targets = [], gridPos, fieldConfig }, from, to) {
  const { x, y, w, h } = gridPos;
  const box = `left:${x * COLUMN}px;top:${y * ROW}px;width:${w * COLUMN - 8}px;height:${h * ROW - 8}px`;
  if (type === 'row') return `<h2 style="${box}">${escape(title)}</h2>`;
  const series = (await Promise.all(targets.map((target) => ask(target, from, to)))).flat();
  const unit = fieldConfig?.defaults?.unit;
  const figure =
    type === 'stat'
      ? drawStat(series, unit)
      : drawLines(series, unit, w * COLUMN - 32, h * ROW - 80);
  return `<section style="${box}"><h3>${escape(title)}</h3>${figure}</section>`;
}

async function ask({ expr, legendFormat = '' }, from, to) {
  const query = new URLSearchParams({
    query: expr.replaceAll('$__rate_interval', '20s'),
    start: String(from),
    end: String(to),
    step: String(STEP_SECONDS),
  });
  const { status, error, data } = await (
    await fetch(`${prometheus.url}/api/v1/query_range?${query}`)
  ).json();
  if (status !== 'success') throw new Error(`${expr}: ${error}`);
  return data.result.map(({ metric, values }) => ({
    name: legendFormat.replace(/\{\{(\w+)\}\}/g, (_, label) => metric[label] ?? ''),
    points: values
      .map(([at, value]) => [at, Number(value)])
      .filter(([, value]) => Number.isFinite(value)),
  }));
}

function drawStat(series, unit) {
  const figures = series.map(
    ({ name, points }) => `<b>${format(points.at(-1)?.[1], unit)}</b> ${escape(name)}`,
  );
  return `<p>${figures.join('<br>') || 'no data'}</p>`;
}

function drawLines(series, unit, width, height) {
  const points = series.flatMap((one) => one.points);
  const most = Math.max(...points.map(([, value]) => value), 0);
  const [first, last] = [
    Math.min(...points.map(([at]) => at)),
    Math.max(...points.map(([at]) => at)),
  ];
  const left = (at) => ((at - first) / Math.max(1, last - first)) * width;
  const top = (value) => height - (value / (most || 1)) * (height - 4);
  const lines = series.map(({ points: own }, i) => {
    const path = own
      .map(([at, value]) => `${left(at).toFixed(1)},${top(value).toFixed(1)}`)
      .join(' ');
    return `<polyline points="${path}" fill="none" stroke="${COLOURS[i % COLOURS.length]}" stroke-width="1.5"/>`;
  });
  const names = series.map(
    ({ name }, i) =>
      `<span style="color:${COLOURS[i % COLOURS.length]}">${escape(name || 'value')}</span>`,
  );
  return `<div class="most">${format(most, unit)}</div>
<svg width="${width}" height="${height}"><path d="M0 ${height - 0.5}H${width}" stroke="#cbd5e0"/>${lines.join('')}</svg>
<div class="names">${names.join(' ') || 'no data'}</div>`;
}

function format(value, unit) {
  if (value === undefined) return '—';
  if (unit === 'bytes') return `${Math.round(value / 1e6)} MB`;
  if (unit === 's' && value < 1) return `${Math.round(value * 1000)} ms`;
  const text = value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  return `${text}${unit === 's' ? ' s' : unit === 'reqps' || unit === 'ops' ? '/s' : ''}`;
}

function escape(text) {
  return text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

async function takePicture(figures) {
  const height = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h)) * ROW + 16;
  const html = `<!doctype html><meta charset="utf-8"><style>
body{margin:8px;font:13px system-ui,sans-serif;color:#1a202c;background:#f7fafc;position:relative}
h2,section{position:absolute;box-sizing:border-box;margin:0;overflow:hidden}
h2{font-size:15px;line-height:${ROW}px}section{background:#fff;border:1px solid #e2e8f0;padding:8px 12px}
h3{font-size:13px;margin:0 0 2px}.most{color:#718096;font-size:11px}.names{font-size:11px;line-height:1.25}
b{font-size:20px}svg{display:block}p{line-height:1.7}</style>${figures}`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  });
  try {
    const page = await browser.newPage({ viewport: { width: WIDTH + 16, height } });
    await page.setContent(html);
    await page.screenshot({ path: join(root, 'docs', 'images', 'metrics.png') });
    console.log(`Wrote ${join('docs', 'images', 'metrics.png')}.`);
  } finally {
    await browser.close();
  }
}
