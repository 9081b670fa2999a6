// Lists of names that accounts and recipients are compared with.

import { readFileSync } from 'node:fs';
import { countAccounts, getScreening, listLists, type Screening } from '../../db/risk/lists';
import { counted } from '../../domain/language';
import { LIST_NAME } from '../../domain/risk';
import { LIST_FAULTS, readList, storeList } from '../../use-cases/screening/read-list';
import { findMatches } from '../../use-cases/screening/screen';
import { command, run } from '../command';
import type { CommandContext } from '../context';
import { CommandError } from '../error';
import { shortText } from '../options';
import { screeningOf } from '../screening';
import { change } from '../settings';
import { table } from '../table';
import { onSilence, readDeadline, readUrl } from './risk-options';

interface ListState {
  readonly list: string;
  readonly version: string;
  readonly entries: number;
}

export const riskLoad = command(
  'load',
  'Put a list of names into force, in the place of the one of this name; all accounts are compared with it',
)
  .requiredOption('--list <name>', 'of the list, in small letters', readListName)
  .option('--remove', 'compare with it no more')
  .argument('[file]', 'CSV: id,name, and aliases (by ;),type,birth_date,country')
  .action(
    run(async (context, path, { list, remove }) => {
      if ((path === undefined) === (remove === undefined)) {
        throw new CommandError('usage', 'Give either a file or --remove');
      }
      const named = path === undefined ? { remove: true } : await readIn(context, list, path);
      const { changed, after } = await change<
        ListState | null,
        'list_not_found' | 'version_not_found'
      >(
        context,
        { action: 'risk.load', arguments: { list, ...named }, reason: '' },
        {
          list_not_found: 'There is no list of this name: see risk lists',
          version_not_found: 'What was read of the file is gone: load it again',
        },
      );
      const rescreened = changed ? await countAccounts(context.db) : 0;
      const accounts = counted('en', rescreened, 'account is', 'accounts are');
      const { entries, version } = after ?? { entries: 0, version: null };
      const json = { list, entries, version, rescreened };
      if (remove) return { json, text: `Removed ${list}.` };
      const names = counted('en', entries, 'entry', 'entries');
      const text = changed
        ? `${list} has ${names}, and ${accounts} compared with it now.`
        : `${list} is the same: ${names}.`;
      return { json, text };
    }),
  );

function readListName(text: string): string {
  if (LIST_NAME.test(text)) return text;
  throw new CommandError('usage', '--list must be 1 to 64 small letters, digits, dots or hyphens');
}

async function readIn({ db }: CommandContext, list: string, path: string) {
  const read = readList(readBytes(path));
  if (!read.ok) {
    const place = `${path}:${read.line}`;
    throw new CommandError('invalid_file', `${place}: ${LIST_FAULTS[read.fault]}. Nothing changes`);
  }
  await storeList(db, list, read);
  return { version: read.version };
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandError('file_unreadable', `${path}: ${(error as Error).message}`);
  }
}

export const riskLists = command('lists', 'Show the lists of names').action(
  run(async ({ db }) => {
    const lists = await listLists(db);
    const rows = lists.map(({ list, entries, loaded_at, loaded_by, version }) => [
      list,
      String(entries),
      loaded_at ?? '',
      loaded_by ?? '',
      version.slice(0, 12),
    ]);
    return {
      json: { lists: lists.map((one) => ({ ...one })) },
      text:
        lists.length === 0
          ? 'There is no list.'
          : table([['LIST', 'ENTRIES', 'LOADED', 'BY', 'VERSION'], ...rows]),
    };
  }),
);

export const riskScreen = command('screen', 'Compare a name with the lists; nothing is stored')
  .argument('<name>', 'of a person or a firm', shortText('name', 300))
  .action(
    run(async (context, name) => {
      const setting = await getScreening(context.db);
      const matches = await findMatches(screeningOf(context), setting, name);
      if (typeof matches === 'string') {
        throw new CommandError('screening_silent', 'The service has not answered in time');
      }
      const rows = matches.map((one) => [
        one.score.toFixed(2),
        one.list,
        one.id,
        one.name,
        one.facts,
      ]);
      return {
        json: {
          name,
          matches: matches.map(({ list, id, name: found, score }) => ({
            list,
            id,
            name: found,
            score,
          })),
        },
        text:
          matches.length === 0
            ? 'No name of a list is like it.'
            : table([['SCORE', 'LIST', 'ID', 'NAME', ''], ...rows]),
      };
    }),
  );

export const riskScreening = command(
  'screening',
  'Say with what names are compared; without an option show it',
)
  .option('--local', 'with the lists that are loaded')
  .option('--url <url>', 'by a service that is asked as moov-io/watchman is')
  .option('--off', 'with nothing')
  .option('--minimum <score>', 'of a service: from 0.5 to 1', readMinimum)
  .option('--deadline-ms <ms>', 'of a service: from 50 to 5000', readDeadline)
  .addOption(onSilence)
  .action(
    run(async (context, { local, url, off, minimum, deadlineMs, onSilence: on_silence }) => {
      const chosen = [local, url, off].filter((one) => one !== undefined).length;
      const details = [minimum, deadlineMs, on_silence];
      const missing = details.includes(undefined);
      if (chosen > 1 || (url === undefined ? details.some((one) => one !== undefined) : missing)) {
        throw new CommandError(
          'usage',
          'Give --local, --off, or --url with --minimum, --deadline-ms and --on-silence',
        );
      }
      if (chosen === 0) return shownScreening(await getScreening(context.db));
      const given = {
        mode: local ? 'local' : off ? 'off' : 'url',
        url: url === undefined ? null : readUrl(context, url),
        minimum: minimum ?? null,
        deadline_ms: deadlineMs ?? null,
        on_silence: on_silence ?? null,
      };
      const request = { action: 'risk.screening', arguments: given, reason: '' } as const;
      const { changed } = await change(context, request, {});
      return shownScreening(await getScreening(context.db), changed);
    }),
  );

function readMinimum(text: string): number {
  if (/^(0\.[5-9]\d{0,3}|1(\.0{1,4})?)$/.test(text)) return Number(text);
  throw new CommandError('usage', '--minimum must be from 0.5 to 1, with at most four decimals');
}

function shownScreening(setting: Screening, changed?: boolean) {
  const { mode, url, minimum, deadline_ms, on_silence } = setting;
  const with_what = {
    local: 'Names are compared with the lists that are loaded.',
    url: `${url} is asked about names (from ${minimum}, for ${deadline_ms} ms at most; silence: ${on_silence}).`,
    off: 'Names are not compared.',
  };
  const state = { mode, url, minimum, deadline_ms, on_silence };
  return {
    json: { screening: state, ...(changed === undefined ? {} : { changed }) },
    text: with_what[mode],
  };
}
