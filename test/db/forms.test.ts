// Rules of text that stand twice, in code and as a constraint: whatever the code takes, in the form that it
// makes of it, the database takes too. Otherwise what was accepted would end as a fault of ours.

import fc from 'fast-check';
import { OPERATOR_PATTERN } from '../../config/schema';
import { isCountry } from '../../domain/country';
import { readEmail } from '../../domain/email';
import { readContact, readDisplayName } from '../../domain/public-profile';
import { readReturnAddress } from '../../domain/return-address';
import { isUsername, normalUsername } from '../../domain/username';
import { operatorName } from '../../use-cases/operators';
import { createTestDatabase, setUp } from '../support/database';

const database = setUp(createTestDatabase);

/** Which of the values the table's checks of this column refuse, when the row has nothing else. */
async function refusedBy(table: string, column: string, values: string[]): Promise<string[]> {
  const { rows: checks } = await database.owner.raw<{ rows: { condition: string }[] }>(
    `select pg_get_expr(c.conbin, c.conrelid) as condition from pg_constraint c
       join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.contype = 'c' and c.conrelid = ?::regclass and a.attname = ?`,
    [table, column],
  );
  expect(checks).not.toEqual([]);
  const all = checks.map(({ condition }) => condition).join(' and ');
  const { rows } = await database.owner.raw<{ rows: { value: string }[] }>(
    `select given.value from unnest(?::text[]) given (value)
      cross join lateral (select (jsonb_populate_record(null::${table},
        jsonb_build_object('${column}', given.value))).*) one
      where not (${all.replaceAll('?', '\\?')})`,
    [values],
  );
  return rows.map(({ value }) => value);
}

const some = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 120 }),
  fc.string({ maxLength: 40 }),
);
const joined = (...parts: fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''));
const case_of = fc.constantFrom('https://', 'HTTPS://', 'HttpS://');

const RULES: readonly [
  string,
  string,
  (text: string) => string | undefined,
  fc.Arbitrary<string>,
  readonly string[],
][] = [
  [
    'users',
    'email',
    readEmail,
    joined(some, fc.constant('@'), fc.oneof(fc.domain(), joined(some, fc.constant('.example')))),
    [
      'JE\u0301RO\u0302ME@EXÄMPLE.fr',
      'İ@example.com',
      'ΑΣ@example.com',
      '\u212a@example.com',
      'ẞ@example.com',
    ],
  ],
  [
    'users',
    'username',
    (text) => (isUsername(normalUsername(text)) ? normalUsername(text) : undefined),
    fc.oneof(some, fc.stringMatching(/^[A-Za-z0-9Ａ-Ｚ._-]{3,32}$/)),
    ['AWA', 'ＡＷＡ', '\u212aofi'],
  ],
  [
    'users',
    'country',
    (text) => (isCountry(text) ? text : undefined),
    fc.stringMatching(/^[A-Z]{2}$/),
    ['SN', 'GB'],
  ],
  ['users', 'display_name', readDisplayName, some, ['Boutique ❤\ufe0f', '😀a'.repeat(33)]],
  ['users', 'contact', readContact, some, ['+221 77 123 45 67', 'é'.repeat(200)]],
  [
    'users',
    'first_name',
    (text) => readDisplayName(text)?.slice(0, 99),
    some,
    ['Je\u0301ro\u0302me'],
  ],
  [
    'payment_intents',
    'return_url',
    (text) => readReturnAddress(text, true),
    joined(case_of, fc.oneof(fc.domain(), some), fc.constantFrom('', '/'), some),
    ['HTTPS://SHOP.EXAMPLE', 'Http://LOCALHOST/é', 'https://exämple.fr/😀'],
  ],
];

it.each(RULES)(
  '%s.%s takes what the code makes of any text',
  async (table, column, read, any, known) => {
    const texts = [...known, ...fc.sample(any, { numRuns: 5_000 })].filter(
      (text) => !text.includes('\0'),
    );
    const taken = texts.map(read).filter((text) => text !== undefined);
    expect(taken.length).toBeGreaterThanOrEqual(known.length);
    expect(await refusedBy(table, column, taken)).toEqual([]);
  },
);

it.each(['users', 'logins', 'invitations', 'login_tokens'])(
  '%s.email is in the one form, whatever a program writes',
  async (table) => {
    const others = [
      'Awa@example.com',
      'je\u0301ro\u0302me@exemple.fr',
      'awa@exämple.fr',
      'awa@EXAMPLE.com',
      'awa@example',
      '<awa@example.com>',
      'a\u200bwa@example.com',
      'a\u0007wa@example.com',
      'a b@example.com',
      'awa@example..com',
      'awa@-example.com',
      'ａwa@example.com',
    ];
    expect(await refusedBy(table, 'email', [...others, 'jérôme@example.com'])).toEqual(others);
  },
);

it('users have no names that go on in another line or direction, nor longer ones than are shown', async () => {
  const others = ['Awa\nDiop', 'Awa\u2028Diop', 'Awa\u202eDiop', 'Awa\u0007', 'a'.repeat(101)];
  for (const column of ['first_name', 'last_name', 'display_name']) {
    expect(await refusedBy('users', column, [...others, 'Awa'])).toEqual(others);
  }
});

it('operators have the same name in code and database, which the audit log takes', async () => {
  const emails = fc
    .sample(joined(some, fc.constant('@example.com')), { numRuns: 3_000 })
    .map(readEmail)
    .filter((email) => email !== undefined);
  const { rows } = await database.owner.raw<{ rows: { name: string }[] }>(
    'select operator_name(e.email) as name from unnest(?::text[]) with ordinality e (email, n) order by n',
    [emails],
  );
  const names = emails.map(operatorName);
  expect(rows.map(({ name }) => name)).toEqual(names);
  expect(names.filter((name) => !new RegExp(OPERATOR_PATTERN).test(name))).toEqual([]);
  expect(await refusedBy('audit_log', 'actor', names)).toEqual([]);
});
