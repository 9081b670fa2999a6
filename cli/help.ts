// What `--help` says: of everything, of a group of commands, of one.

import { distance } from 'fastest-levenshtein';
import { parseUsage, type Command } from './command';

const PROGRAM = 'npm run --silent cli --';
const HELP_WORDS = ['--help', '-h', 'help'];

export function asksForHelp(argv: readonly string[]): boolean {
  return (
    argv.length === 0 ||
    argv[0] === 'help' ||
    argv.some((word) => word === '--help' || word === '-h')
  );
}

/** Of the command or the group that the words name, else of all. */
export function helpFor(commands: readonly Command[], argv: readonly string[]): string {
  const words = argv.filter((word) => !HELP_WORDS.includes(word) && word !== '--json');
  const named = commands.filter(({ usage }) => {
    const name = parseUsage(usage).name.split(' ');
    return words.length > 0 && name.every((word, at) => at >= words.length || word === words[at]);
  });
  if (named.length === 0) return overview(commands);
  const parts = named.map(({ usage, summary }) => `  ${usage}\n      ${summary}`);
  return `Usage: ${PROGRAM} <command> [--json] [--actor NAME]\n\n${parts.join('\n')}\n`;
}

function overview(commands: readonly Command[]): string {
  const names = commands.map(({ usage }) => parseUsage(usage).name);
  const width = Math.max(...names.map((name) => name.length));
  const lines = commands.map(({ summary }, at) => `  ${names[at]!.padEnd(width)}  ${summary}`);
  return [
    `Usage: ${PROGRAM} <command> [--json] [--actor NAME]`,
    '',
    ...lines,
    '',
    `A command's options: ${PROGRAM} ${names[0]} --help`,
    '',
  ].join('\n');
}

/** For words that name no command: those that look like them. */
export function unknownCommand(commands: readonly Command[], words: readonly string[]): string {
  const given = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, 2)
    .join(' ');
  const names = commands.map(({ usage }) => parseUsage(usage).name);
  // `keys` alone is a group.
  const group = names.filter((name) => name.split(' ')[0] === given.split(' ')[0]);
  const near = names
    .map((name) => ({ name, off_by: distance(given, name) }))
    .filter(({ name, off_by }) => off_by <= Math.max(2, name.length / 4))
    .toSorted((one, other) => one.off_by - other.off_by)
    .map(({ name }) => name);
  const meant = near.length > 0 ? near.slice(0, 3) : group;
  const hint = meant.length > 0 ? ` Did you mean: ${meant.join(', ')}?` : '';
  return `There is no command "${given}".${hint}\n\nAll commands: ${PROGRAM} --help`;
}
