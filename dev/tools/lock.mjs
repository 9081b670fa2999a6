// Allows one set-up at a time per checkout: `npm start` and `npm test` may begin together.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 100;
const BEAT_MS = 1000;
// A running owner touches its lock each second. One that has not is dead, even if another program has
// its process id now.
const DEAD_AFTER_MS = 20_000;

/** Waits for the lock, then works. The lock of a killed set-up is removed. */
export async function withLock(root, work) {
  // Not in the checkout, because npm ci removes node_modules and the build replaces dist.
  const place = createHash('sha256').update(root).digest('hex').slice(0, 16);
  const file = join(tmpdir(), `payment-api-${process.getuid?.() ?? 0}-${place}.lock`);
  for (let waited = false; !take(file); waited = true) {
    if (!waited) console.error('Waiting for another set-up of this project …');
    await delay(POLL_MS);
  }
  const beat = setInterval(() => fs.utimesSync(file, new Date(), new Date()), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    fs.rmSync(file, { force: true });
  }
}

// A link appears with its whole content at once.
function take(file) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, String(process.pid));
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    removeIfDead(file);
    return false;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

// Two set-ups that see the same dead owner: one gets the file. If a new owner has taken the lock meanwhile, its file is
// put back.
function removeIfDead(file) {
  const aside = `${file}.${process.pid}.dead`;
  try {
    if (isHeld(file)) return;
    fs.renameSync(file, aside);
    if (isHeld(aside)) fs.linkSync(aside, file);
  } catch (error) {
    // Released or taken over meanwhile: the next round sees it.
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    fs.rmSync(aside, { force: true });
  }
}

function isHeld(file) {
  if (Date.now() - fs.statSync(file).mtimeMs > DEAD_AFTER_MS) return false;
  try {
    process.kill(Number(fs.readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    // EPERM: it runs, as another user.
    if (error.code === 'EPERM') return true;
    if (error.code === 'ESRCH') return false;
    throw error;
  }
}
