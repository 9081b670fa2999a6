// The types of rows are those of the tables. After a change of a migration they are written again by
//   ROWS=keep npx jest test/db/rows.test.ts

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, setUp } from '../support/database';

const FILE = join(__dirname, '../../db/generated/rows.ts');

const database = setUp(createTestDatabase);

/** The driver returns these (db/connect.ts). */
const OF_DRIVER: Readonly<Record<string, string>> = {
  bigint: 'bigint',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  'double precision': 'number',
  integer: 'number',
  numeric: 'string',
  smallint: 'number',
  text: 'string',
  'text[]': 'readonly string[]',
  'timestamp with time zone': 'string',
  uuid: 'string',
};

/** The types of the domain, by file: those of a column of this name, or of one table's. */
const OF_DOMAIN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  currency: { currency: 'Currency' },
  environment: { environment: 'Environment' },
  event: {
    'events.type': 'EventType',
    'webhook_deliveries.type': 'EventType',
    'webhook_endpoints.types': 'readonly EventType[]',
  },
  idempotency: { fingerprint: 'Fingerprint' },
  intent: { metadata: 'Metadata', 'payment_intents.collected': 'Collected' },
  json: { 'approvals.arguments': '{ readonly [name: string]: JsonValue }' },
  payment: { 'payment_intents.last_payment_error': 'PaymentFailure' },
  'payment-attempt': { 'payment_attempts.failure': 'AttemptFailure' },
  'payment-link': { 'payment_links.collect': 'readonly CollectedField[]' },
  payout: { 'payouts.failure': 'PayoutFailure' },
  'payout-batch': { 'payout_batch_items.refusal': 'PayoutItemRefusal' },
  risk: {
    heard: 'Heard',
    hold: 'Hold',
    'risk_cases.asked': "Heard['asked']",
    'risk_cases.reasons': 'readonly RiskReason[]',
  },
  refund: { 'refunds.failure': 'RefundFailure' },
  scopes: { 'api_keys.scopes': 'readonly Scope[]' },
  'transfer-batch': { 'transfer_batch_items.refusal': 'ItemRefusal' },
  webhook: { 'webhook_endpoints.last_failure': 'EndpointFailure' },
};
const TYPES: Readonly<Record<string, string>> = Object.assign({}, ...Object.values(OF_DOMAIN));

interface Column {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  readonly is_required: boolean;
  /** Its checks, such as `CHECK ((status = ANY (ARRAY['open'::text, 'won'::text])))`. */
  readonly checks: readonly string[];
}

const COLUMNS = `
  select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
         a.attnotnull as is_required,
         array(select pg_get_constraintdef(k.oid) from pg_constraint k
                where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
     and c.relname !~ 'migrations'
   order by c.relname, a.attnum`;

const ONE_OF = /^CHECK \(\(\w+ = ANY \(ARRAY\[('[^\]]*)\]\)\)\)$/;

function typeOf({ table, name, type, is_required, checks }: Column): string {
  const lists = checks.flatMap((check) => ONE_OF.exec(check)?.[1] ?? []);
  const words = lists[0]?.replaceAll('::text', '').replaceAll(', ', ' | ');
  const known = TYPES[`${table}.${name}`] ?? TYPES[name] ?? words ?? OF_DRIVER[type];
  return known === undefined ? 'unknown' : `${known}${is_required ? '' : ' | null'}`;
}

function render(columns: readonly Column[]): string {
  const imports = Object.entries(OF_DOMAIN).map(([file, types]) => {
    const names = Object.values(types).flatMap((type) => type.match(/\b[A-Z]\w+/g) ?? []);
    return `import type { ${[...new Set(names)].join(', ')} } from '../../domain/${file}';\n`;
  });
  const tables = [...new Set(columns.map(({ table }) => table))];
  const rows = tables.map((table) => {
    const fields = columns
      .filter((column) => column.table === table)
      .map((column) => `    readonly ${column.name}: ${typeOf(column)};\n`);
    return `  readonly ${table}: {\n${fields.join('')}  };\n`;
  });
  return `// The rows of all tables, as the driver returns them. Written by test/db/rows.test.ts, not by hand.

${imports.join('')}
export interface Rows {
${rows.join('')}}
`;
}

it('are as the tables are: ROWS=keep npx jest test/db/rows.test.ts', async () => {
  const { rows } = (await database.owner.raw(COLUMNS)) as { readonly rows: readonly Column[] };
  const text = render(rows);
  if (process.env['ROWS'] === 'keep') writeFileSync(FILE, text);
  expect(text).toBe(readFileSync(FILE, 'utf8'));
});
