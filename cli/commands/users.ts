// Users: created, listed, shown, frozen, and their role.

import { Option } from '@commander-js/extra-typings';
import { listUsers } from '../../db/accounts/users';
import { MAX_PASSWORD, MIN_PASSWORD } from '../../domain/password';
import { grantOperator } from '../../use-cases/operators';
import { signUp, type SignUpFault } from '../../use-cases/users';
import { command, group, run } from '../command';
import { oneOf, userOption } from '../options';
import type { CommandContext, CommandResult } from '../context';
import { CommandError } from '../error';
import { requireUser, userNotFound } from '../lookups';
import { readSecretInput, secretFromStdin, secretInPlain } from '../secret-input';
import { table } from '../table';
import { usersFreeze, usersUnfreeze } from './users-freeze';
import { usersLimits, usersTier } from './users-limits';
import { usersUpdate } from './users-update';
import { normalUsername } from '../../domain/username';

const TAKEN = 'A user with this username or e-mail exists already';

const FAULTS: Readonly<Record<SignUpFault, string>> = {
  invalid_username:
    '--username must be 3 to 32 letters, digits, dots, dashes or underscores, and begin with a letter or digit',
  invalid_email: '--email must be an e-mail address',
  invalid_country:
    '--country must be a country code of ISO 3166-1, such as SN (the United Kingdom is GB)',
  invalid_name:
    '--first-name and --last-name must have a letter or digit, no invisible characters, and at most 100 characters together',
  invalid_contact: 'The contact is not one line of letters or digits',
  invalid_display_name: 'The public name must have a letter or digit, and no invisible characters',
  short_password: `The password must have at least ${MIN_PASSWORD} characters`,
  long_password: `The password must have at most ${MAX_PASSWORD} characters`,
  common_password:
    'The password is among the most common ones, which are tried first: choose another',
  own_name_password: 'The password must not be the username or the e-mail address',
  username_taken: TAKEN,
  email_taken: TAKEN,
};

const roleOption = new Option('--role <role>', 'the role')
  .choices(['operator'])
  .argParser(oneOf('role', ['operator']))
  .makeOptionMandatory();

async function changeRole(
  { db, actor }: CommandContext,
  { user: name, role }: { readonly user: string; readonly role: string },
  is_operator: boolean,
): Promise<CommandResult> {
  const granted = await grantOperator({ db, actor }, name, is_operator);
  if (!granted.ok) {
    if (granted.error === 'not_found') throw userNotFound(name);
    throw new CommandError(
      'email_not_confirmed',
      `The owner of ${name} has not confirmed the e-mail address, which an operator needs`,
    );
  }
  const username = normalUsername(name);
  const state = is_operator ? 'is an operator' : 'is no operator';
  return {
    json: { username, role, is_operator, changed: granted.changed },
    text: granted.changed ? `${username} ${state} now.` : `${username} ${state} already.`,
  };
}

export const users = group([
  command(
    'create',
    'Create a user with wallets; the sandbox wallets are funded; the password is the first line of standard input',
  )
    .requiredOption('--username <username>', 'the name to sign in with')
    .requiredOption('--email <email>', 'the e-mail address')
    .addOption(secretFromStdin('password', 'the password'))
    .addOption(secretInPlain('password'))
    .requiredOption('--country <cc>', 'a country code of two letters')
    .option('--first-name <name>', 'as in their passport')
    .option('--last-name <name>', 'as in their passport')
    .action(
      run(async (context, options) => {
        const { db, actor } = context;
        const { username, email, country, firstName = '', lastName = '' } = options;
        const password = await readSecretInput(context, 'password', {
          from_stdin: options.passwordStdin,
          in_plain: options.password,
        });
        if (password === undefined) throw new CommandError('usage', '--password-stdin is required');
        const signed_up = await signUp(
          { db, actor },
          {
            username,
            email,
            country,
            password,
            first_name: firstName,
            last_name: lastName,
          },
        );
        if (!signed_up.ok) {
          const { errors } = signed_up;
          const isTaken = errors.includes('username_taken') || errors.includes('email_taken');
          const text = errors.map((error) => FAULTS[error]).join('; ');
          throw new CommandError(isTaken ? 'user_exists' : 'usage', text);
        }
        const { user } = signed_up;
        return { json: { ...user }, text: `Created user ${user.username} (${user.id}).` };
      }),
    ),
  command('list', 'List all users').action(
    run(async ({ db }) => {
      const users = await listUsers(db);
      const rows = users.map((u) => [
        u.username,
        u.email,
        u.country,
        u.kyc_status,
        u.frozen_at === null ? '' : `since ${u.frozen_at}`,
        u.id,
      ]);
      return {
        json: { users: users.map((user) => ({ ...user })) },
        text: table([['USERNAME', 'EMAIL', 'COUNTRY', 'KYC', 'FROZEN', 'ID'], ...rows]),
      };
    }),
  ),
  command('show', 'Show a user, and whether and why the account is frozen')
    .addOption(userOption)
    .action(
      run(async ({ db }, options) => {
        const user = await requireUser(db, options.user);
        const lines = Object.entries(user).map(([field, value]) => [field, String(value ?? '-')]);
        return { json: { ...user }, text: table(lines) };
      }),
    ),
  usersUpdate,
  usersFreeze,
  usersUnfreeze,
  usersTier,
  usersLimits,
  command('grant', "Let the account's owner open the operators' pages of the dashboard")
    .addOption(userOption)
    .addOption(roleOption)
    .action(run((context, options) => changeRole(context, options, true))),
  command(
    'revoke-role',
    "Take the operators' pages from the account's owner, with the next request",
  )
    .addOption(userOption)
    .addOption(roleOption)
    .action(run((context, options) => changeRole(context, options, false))),
]);
