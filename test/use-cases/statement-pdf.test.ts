// Statements as PDF: one at a time in a process, and accounts take turns.

import { once } from 'node:events';
import { findStatement, listStatements, type Statement } from '../../use-cases/statements/months';
import { writeStatementPdf } from '../../use-cases/statements/pdf';
import { createTestDatabase, setUp } from '../support/database';
import { buildUser, type TestUser } from '../support/users';

const database = setUp(createTestDatabase);

async function statementOf({ id }: TestUser): Promise<Statement> {
  const of = { user_id: id, environment: 'live' } as const;
  const [position] = await listStatements(database.db, of, { after: undefined, limit: 1 });
  return (await findStatement(database.db, of, { ...position!, currency: 'XOF' }))!;
}

it('an account that asks for many waits for itself, and not the next account', async () => {
  const funds = { live: { XOF: 1_000n } };
  const users = [
    await buildUser(database.db, { funds }),
    await buildUser(database.db, { funds }),
  ] as const;
  const [many, one] = [await statementOf(users[0]), await statementOf(users[1])];
  const written: string[] = [];
  const write = async (statement: Statement, name: string): Promise<void> => {
    const onError = (error: Error): never => {
      throw error;
    };
    const options = { username: name, language: 'en', onError } as const;
    const pdf = (await writeStatementPdf(database.db, statement, options)).resume();
    await once(pdf, 'end');
    written.push(name);
  };
  const first = ['1', '2', '3'].map((name) => write(many, name));
  await Promise.all([...first, write(one, 'the other')]);
  expect(written).toEqual(['1', 'the other', '2', '3']);
});
