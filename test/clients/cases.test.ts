// The conformance cases have the form that their schema says, and each has a name of its own.

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';

const FOLDER = join(__dirname, '..', '..', 'clients', 'conformance');

interface Case {
  readonly name: string;
}

function read(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(FOLDER, ...path), 'utf8'), (_, value: unknown) =>
    typeof value === 'string' && /^@[a-z_0-9]+$/.test(value) ? named(value.slice(1)) : value,
  );
}

function named(name: string): unknown {
  const { values } = JSON.parse(readFileSync(join(FOLDER, 'named.json'), 'utf8')) as {
    values: Record<string, unknown>;
  };
  if (!(name in values)) throw new Error(`named.json has no value ${name}.`);
  return values[name];
}

const SUBJECTS = readdirSync(join(FOLDER, 'cases'));

describe('the conformance cases of the clients', () => {
  const validate = new Ajv2020({ strict: false }).compile(read('case.schema.json') as object);

  it.each(SUBJECTS)('have the form of the schema: %s', (file) => {
    validate(read('cases', file));
    expect(validate.errors).toBeNull();
  });

  it('have names that are not used twice', () => {
    const names = SUBJECTS.flatMap((file) => read('cases', file) as Case[]).map(({ name }) => name);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
