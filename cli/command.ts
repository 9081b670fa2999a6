// The parts of a command. Commander reads the words; a handler gets what they say, typed, and the context, and returns
// the printed result.

import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import {
  withContext,
  withoutSystem,
  type CommandContext,
  type PrintedResult,
  type Printer,
} from './context';
import { CommandError } from './error';

export function command(name: string, summary: string): Command {
  return new Command(name).description(summary);
}

/** A group of commands: its name and summary are in `cli/groups.ts`. */
export function group(commands: readonly CommandUnknownOpts[]): CommandUnknownOpts {
  const whole: CommandUnknownOpts = new Command();
  for (const one of commands) whole.addCommand(one);
  return whole;
}

/**
 * Makes the action of a command: `.action(run(async (context, …arguments, options) => …))`. The
 * handler returns null when it has printed everything with `say`.
 */
export function run<Given extends readonly unknown[]>(
  handler: (context: CommandContext, ...given: Given) => Promise<PrintedResult | null>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    // Commander passes the command itself last.
    const called = given.at(-1) as CommandUnknownOpts;
    refuseEmpty(called);
    await withContext(called.optsWithGlobals(), (context) => handler(context, ...given));
  };
}

/** Makes the action of a command that works on files, without a database. */
export function runAlone<Given extends readonly unknown[]>(
  handler: (context: Printer, ...given: Given) => Promise<PrintedResult | null>,
): (...given: Given) => Promise<void> {
  return async (...given) => {
    const called = given.at(-1) as CommandUnknownOpts;
    refuseEmpty(called);
    await withoutSystem(called.optsWithGlobals(), (context) => handler(context, ...given));
  };
}

/** A script whose variable is not set gives an empty text. */
function refuseEmpty(called: CommandUnknownOpts): void {
  if (called.processedArgs.includes('')) {
    throw new CommandError('usage', `${called.registeredArguments[0]!.name()} is required`);
  }
  const given = called.opts();
  const empty = called.options.find((one) => one.mandatory && given[one.attributeName()] === '');
  if (empty) throw new CommandError('usage', `${empty.long} is required`);
}
