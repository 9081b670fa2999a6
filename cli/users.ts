// Users and their identity checks.

import { listUsers, setKycStatus, signUp, type NewUser, type UserRow } from '../db/users';
import { hashPassword } from '../secrets/hash';
import { makeAdjustmentReference } from '../secrets/random';
import {
  CommandError,
  requireUser,
  table,
  type Command,
  type CommandContext,
  type CommandResult,
} from './command';

const UNIQUE_VIOLATION = '23505';

export const usersCreate: Command = {
  usage:
    'users create --username U --email E --password P --country CC [--first-name F] [--last-name L]',
  summary: 'Make a user with wallets; the sandbox ones are funded',
  options: ['username', 'email', 'password', 'country', 'first-name', 'last-name'],
  async run({ db, options }) {
    const username = options.required('username').toLowerCase();
    const email = options.required('email');
    const password = options.required('password');
    const country = options.required('country').toUpperCase();
    if (!/^[a-z0-9][a-z0-9._-]{2,31}$/.test(username)) {
      throw new CommandError(
        'usage',
        '--username is 3 to 32 letters, digits, dots, dashes or underscores',
      );
    }
    if (!/^[^\s@]+@[^\s@]+$/.test(email) || email.length > 254) {
      throw new CommandError('usage', '--email is an e-mail address');
    }
    if (!/^[A-Z]{2}$/.test(country)) throw new CommandError('usage', '--country is two letters');
    // NIST SP 800-63B: length is what counts.
    if (password.length < 8) throw new CommandError('usage', '--password has 8 characters or more');
    const user = await insertUser(db, {
      username,
      email,
      password_hash: await hashPassword(password),
      first_name: options.optional('first-name') ?? '',
      last_name: options.optional('last-name') ?? '',
      country,
    });
    return { json: { ...user }, text: `Made user ${user.username} (${user.id}).` };
  },
};

async function insertUser(db: CommandContext['db'], fields: NewUser): Promise<UserRow> {
  try {
    return await signUp(db, fields, makeAdjustmentReference);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    throw new CommandError('user_exists', 'A user with this username or e-mail exists already');
  }
}

export const usersList: Command = {
  usage: 'users list',
  summary: 'List all users',
  options: [],
  async run({ db }) {
    const users = await listUsers(db);
    const rows = users.map((u) => [u.username, u.email, u.country, u.kyc_status, u.id]);
    return {
      json: { users: users.map((user) => ({ ...user })) },
      text: table([['USERNAME', 'EMAIL', 'COUNTRY', 'KYC', 'ID'], ...rows]),
    };
  },
};

export const kycApprove: Command = {
  usage: 'kyc approve --user U',
  summary: 'Approve an identity check: live keys may then be made',
  options: ['user'],
  run: (context) => decide(context, 'approved'),
};

export const kycReject: Command = {
  usage: 'kyc reject --user U',
  summary: 'Reject an identity check',
  options: ['user'],
  run: (context) => decide(context, 'rejected'),
};

async function decide(
  { db, options }: CommandContext,
  status: 'approved' | 'rejected',
): Promise<CommandResult> {
  const { username } = await requireUser(db, options.required('user'));
  await setKycStatus(db, username, status);
  return {
    json: { username, kyc_status: status },
    text: `The identity check of ${username} is ${status}.`,
  };
}
