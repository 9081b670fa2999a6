// Preloaded into a process: when it ends, it lists what it has loaded.

const { writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('exit', () => {
    writeFileSync(process.env.MODULES_FILE, Object.keys(require.cache).join('\n'));
  });
}
