// `completion`: prints what a shell needs to complete commands, options and the values of options. The
// script holds all of it: asking this program at each key press would take too long.

import { Argument, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { command } from '../command';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const NAME = 'payments';

export const completion = command('completion', '')
  .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
  .action(async (shell) => {
    // Not at the top: main imports this file, in the end.
    const { buildProgram } = await import('../main.js');
    const places = placesOf(await buildProgram(() => true));
    process.stdout.write(SCRIPTS[shell](places));
  });

/** What can follow some words. */
interface Place {
  /** Such as `keys create`; empty at the start. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly summary: string }[];
  readonly options: readonly OptionWords[];
  /** Of the first argument, where only some are possible. */
  readonly values: readonly string[];
}

interface OptionWords {
  readonly name: string;
  readonly summary: string;
  readonly takes_value: boolean;
  /** Empty when any text is possible. */
  readonly values: readonly string[];
}

function placesOf(place: CommandUnknownOpts, path: readonly string[] = []): readonly Place[] {
  const help = place.createHelp();
  const options = [...help.visibleOptions(place), ...help.visibleGlobalOptions(place)];
  const here = {
    path: path.join(' '),
    commands: place.commands.map((one) => ({ name: one.name(), summary: one.description() })),
    options: options.map((option) => ({
      name: option.long!,
      summary: option.description,
      takes_value: option.required,
      values: option.argChoices ?? [],
    })),
    values: place.registeredArguments[0]?.argChoices ?? [],
  };
  return [here, ...place.commands.flatMap((one) => placesOf(one, [...path, one.name()]))];
}

/** Loaded with `source <(payments completion bash)`. */
function bash(places: readonly Place[]): string {
  const afterOption = places.flatMap(({ path, options }) =>
    options
      .filter(({ takes_value }) => takes_value)
      .map(({ name, values }) => `    '${path} ${name}') words='${values.join(' ')}' ;;`),
  );
  const afterWords = places.map(({ path, commands, options, values }) => {
    const words = [...[...commands, ...options].map(({ name }) => name), ...values];
    return `    '${path}') words='${words.join(' ')}' ;;`;
  });
  return `_${NAME}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " \${path:+$path }$word" in
${places
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      ' ${path}') path='${path}' ;;`)
  .join('\n')}
    esac
  done
  case "$path $previous" in
${afterOption.join('\n')}
    *)
      case "$path" in
${afterWords.map((line) => `    ${line}`).join('\n')}
      esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _${NAME} ${NAME}
`;
}

/** zsh understands bash's way when it is told to. */
function zsh(places: readonly Place[]): string {
  return `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit }\nautoload -U +X bashcompinit && bashcompinit\n${bash(places)}`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options, values }) => {
    const first = `complete -c ${NAME} -n '__${NAME}_at "${path}"'`;
    return [
      ...commands.map(({ name, summary }) => `${first} -f -a ${name} -d ${quoted(summary)}`),
      ...values.map((value) => `${first} -f -a ${value}`),
      ...options.map((option) => {
        const value = option.values.length > 0 ? `x -a '${option.values.join(' ')}'` : 'r';
        const given = option.takes_value ? ` -${value}` : '';
        return `${first} -l ${option.name.slice(2)} -d ${quoted(option.summary)}${given}`;
      }),
    ];
  });
  const paths = places.map(({ path }) => `'${path}'`).join(' ');
  return `function __${NAME}_at
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim "$at $word")
    contains -- $next ${paths}; and set at $next
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

const SCRIPTS = { bash, zsh, fish } as const;
