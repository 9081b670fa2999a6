// The operators' command line: `npm run --silent cli -- <command> [--json]`. With --json a command prints
// one JSON object, or one per line if it runs until Ctrl-C. Errors go to standard error, with status 1.

import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../config/load';
import { connectDatabase } from '../db/connect';
import { renderJson } from '../domain/json';
import { accessLogRebuild } from './access-log';
import type { Command, CommandContext } from './command';
import { CommandError } from './error';
import { eventsList, eventsShow } from './events';
import { gatewayNotify } from './gateway';
import { intentsCancel, intentsList, intentsShow } from './intents';
import { keysCreate, keysList, keysRevoke, keysRotate } from './keys';
import { ledgerVerify } from './ledger';
import { listen } from './listen';
import { Options } from './options';
import { findRunningSystem } from './running-system';
import { suspenseAccept, suspenseList, suspenseRefund } from './suspense';
import { trigger } from './trigger';
import { kycApprove, kycReject, usersCreate, usersList } from './users';
import { walletsCredit } from './wallets';
import {
  webhooksCreate,
  webhooksDelete,
  webhooksList,
  webhooksShow,
  webhooksTest,
  webhooksUpdate,
} from './webhook-endpoints';
import { webhooksResend } from './webhook-resends';
import { webhooksReseal, webhooksRotateSecret } from './webhook-secrets';

const COMMANDS: Readonly<Record<string, Command>> = {
  'users create': usersCreate,
  'users list': usersList,
  'kyc approve': kycApprove,
  'kyc reject': kycReject,
  'keys create': keysCreate,
  'keys list': keysList,
  'keys revoke': keysRevoke,
  'keys rotate': keysRotate,
  'wallets credit': walletsCredit,
  'intents list': intentsList,
  'intents show': intentsShow,
  'intents cancel': intentsCancel,
  'gateway notify': gatewayNotify,
  'suspense list': suspenseList,
  'suspense accept': suspenseAccept,
  'suspense refund': suspenseRefund,
  'webhooks create': webhooksCreate,
  'webhooks list': webhooksList,
  'webhooks show': webhooksShow,
  'webhooks update': webhooksUpdate,
  'webhooks delete': webhooksDelete,
  'webhooks test': webhooksTest,
  'webhooks resend': webhooksResend,
  'webhooks rotate-secret': webhooksRotateSecret,
  'webhooks reseal': webhooksReseal,
  'events list': eventsList,
  'events show': eventsShow,
  listen,
  trigger,
  'ledger verify': ledgerVerify,
  'access-log rebuild': accessLogRebuild,
};

export async function runCli(argv: readonly string[]): Promise<number> {
  if (argv.length === 0 || argv.includes('--help')) {
    process.stdout.write(usage());
    return 0;
  }
  const isJson = argv.includes('--json');
  try {
    const { command, rest } = findCommand(argv.filter((word) => word !== '--json'));
    const options = readOptions(command, rest);
    const config = loadConfig(process.env);
    const system = findRunningSystem(config);
    const db = connectDatabase({ url: system.database_url, pool_size: 2, name: 'payment-cli' });
    const say: CommandContext['say'] = ({ json, text }) => {
      process.stdout.write(`${isJson ? renderJson(json) : text}\n`);
    };
    try {
      const result = await command.run({ db, config, system, options, say });
      if (result) say(result);
      return result?.exit_status ?? 0;
    } finally {
      await db.destroy();
    }
  } catch (error) {
    process.stderr.write(`${describe(error, isJson)}\n`);
    return 1;
  }
}

/** A command's name is two words, or one. */
function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const count of [2, 1]) {
    const command = COMMANDS[words.slice(0, count).join(' ')];
    if (command) return { command, rest: words.slice(count) };
  }
  throw new CommandError('usage', `There is no such command.\n\n${usage()}`);
}

function readOptions(command: Command, args: readonly string[]): Options {
  const { argument, options, flags = [] } = command;
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: Object.fromEntries([
        ...options.map((name) => [name, { type: 'string' as const }]),
        ...flags.map((name) => [name, { type: 'boolean' as const }]),
      ]),
      allowPositionals: argument !== undefined,
    });
    if (argument !== undefined && (positionals.length !== 1 || positionals[0] === '')) {
      throw new Error(positionals.length > 1 ? `One ${argument} only` : `${argument} is required`);
    }
    return new Options(values as Record<string, string | boolean | undefined>, positionals[0]);
  } catch (error) {
    throw new CommandError(
      'usage',
      `${(error as Error).message}\n\nUsage: ${command.usage} [--json]`,
    );
  }
}

function describe(error: unknown, isJson: boolean): string {
  const isExpected = error instanceof CommandError || error instanceof ConfigError;
  const code = error instanceof CommandError ? error.code : isExpected ? 'configuration' : 'failed';
  const message = error instanceof Error ? error.message || error.name : String(error);
  return isJson ? renderJson({ ok: false, error: { code, message } }) : message;
}

function usage(): string {
  const lines = Object.values(COMMANDS).map(
    ({ usage: form, summary }) => `  ${form}\n      ${summary}`,
  );
  return `Usage: npm run --silent cli -- <command> [--json]\n\n${lines.join('\n')}\n`;
}
