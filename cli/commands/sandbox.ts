// `sandbox`: scenes, which are bad days that can be rehearsed, over the API with a merchant's test key.

import { Option } from '@commander-js/extra-typings';
import { randomUUID } from 'node:crypto';
import { counted } from '../../domain/language';
import { command, group, runAlone } from '../command';
import { CommandError } from '../error';
import { apiOption, openMerchantApi, requireTestKey } from '../merchant-api';
import { secretFromStdin, secretInPlain } from '../secret-input';
import { readScene, requireVariables, shippedScenes } from '../scenes/file';
import { playScene, RESPONSE_WITHIN_MS, type PlayedStep } from '../scenes/play';

const scenes = command('scenes', 'The scenes that come with the program').action(
  runAlone(async () => {
    const all = shippedScenes();
    const width = Math.max(...all.map(({ name }) => name.length));
    return {
      json: { scenes: all.map(({ name, about }) => ({ name, about })) },
      text: all.map(({ name, about }) => `${name.padEnd(width)}  ${about}`).join('\n'),
    };
  }),
);

const play = command('play', 'Play a scene in the sandbox, and stop at the first step that fails')
  .argument('<scene>', 'a YAML or JSON file, or the name of one of `sandbox scenes`')
  .addOption(apiOption)
  .addOption(secretFromStdin('key', 'the test key'))
  .addOption(secretInPlain('key'))
  .addOption(
    new Option('--set <name=value>', 'a variable of the scene; may be given several times')
      .argParser(readVariable)
      .default({}, 'none'),
  )
  .action(
    runAlone(async (printer, file, options) => {
      const scene = readScene(file);
      const api = await openMerchantApi(printer, options, RESPONSE_WITHIN_MS);
      requireTestKey(api);
      const variables = { ...ownVariables(api.demo?.webhook_sink?.url), ...options.set };
      requireVariables(scene, Object.keys(variables));
      printer.line(scene.name);
      const steps = await playScene(api, scene, variables, (one) => printer.line(stepText(one)));
      const failed = steps.find(({ ok }) => !ok);
      return {
        json: { ok: failed === undefined, scene: scene.name, steps },
        text: failed
          ? `Failed at step ${failed.step}: ${scene.file}:${failed.line}`
          : `Done: ${counted('en', steps.length, 'step', 'steps')}.`,
        exit_status: failed ? 1 : 0,
      };
    }),
  );

/** `run` is another one each time, for idempotency keys; `receiver` is the one that `npm start` brings. */
function ownVariables(receiver: string | undefined): Readonly<Record<string, string>> {
  const run = randomUUID().slice(0, 8);
  return receiver === undefined ? { run } : { run, receiver };
}

function readVariable(
  text: string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const [, name, value] = /^([a-z][a-z0-9_]{0,31})=(.+)$/s.exec(text) ?? [];
  if (name !== undefined && value !== undefined) return { ...before, [name]: value };
  throw new CommandError('usage', '--set must be name=value, such as --set receiver=https://…');
}

function stepText({ step, kind, ok, text }: PlayedStep): string {
  const indented = text.replaceAll('\n', `\n${' '.repeat(17)}`);
  return `${String(step).padStart(3)}  ${ok ? 'ok' : '✗ '}  ${kind.padEnd(7)} ${indented}`;
}

export const sandbox = group([play, scenes]);
