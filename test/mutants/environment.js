// Leaves out the tests of a file after its first that fails, and asks after each test what the probes have seen: the
// sequences of the schema `probes` that have moved (probes.ts).

const { Client } = require('pg');
const SharedEnvironment = require('../support/shared-environment');

let run;

module.exports = class extends SharedEnvironment {
  constructor(...options) {
    super(...options);
    // Its variables are a copy from the start of the process.
    this.global.process.env.PAYMENT_API_TEST_STACK = JSON.stringify(run.stack);
  }

  async handleTestEvent(event) {
    await super.handleTestEvent(event);
    const { name, test } = event;
    if (name === 'test_done' && test.errors.length > 0) run.failed = true;
    if (name === 'test_start' && run.failed) test.mode = 'skip';
    if (!run.stack.is_probed) return;
    // What is seen before a test belongs to the whole file.
    if (name === 'test_start') await look('');
    if (name === 'test_done') await look(titleOf(test));
  }
};

module.exports.begin = (stack) => {
  run = { stack, failed: false, seen: {}, clients: new Map(), values: new Map() };
};

module.exports.end = async () => {
  for (const client of run.clients.values()) await client.end();
  return run.seen;
};

function titleOf({ name, parent }) {
  return parent?.parent === undefined ? name : `${titleOf(parent)} ${name}`;
}

async function look(title) {
  const databases = await rowsOf(
    'postgres',
    `select datname from pg_database where datname like 'test\\_%'`,
  );
  for (const { datname } of databases) {
    const rows = await rowsOf(
      datname,
      `select sequencename as probe, last_value::text as value from pg_sequences
        where schemaname = 'probes' and last_value is not null
       union all
       select 'slip ' || objid, null from pg_locks where locktype = 'advisory' and classid = 1000000
          and database = (select oid from pg_database where datname = current_database())`,
    );
    for (const { probe, value } of rows) {
      const key = `${datname} ${probe}`;
      if (run.values.get(key) === value) continue;
      run.values.set(key, value);
      // A lock stays, whichever test has taken it.
      (run.seen[probe] ??= []).push(value === null ? '' : title);
    }
  }
}

async function rowsOf(name, sql) {
  let client = run.clients.get(name);
  if (client === undefined) {
    const url = new URL(run.stack.superuser_url);
    url.pathname = `/${name}`;
    client = new Client({ connectionString: url.href });
    client.on('error', () => undefined);
    run.clients.set(name, client);
    await client.connect();
  }
  return (await client.query(sql)).rows;
}
