// A scene as its file has it: read and refused as a whole, with the place of the first fault, before anything
// is called.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { CommandError } from '../error';
import { scene as sceneSchema, STEPS, type Does, type Kind } from './schema';

export interface Scene {
  readonly file: string;
  readonly name: string;
  readonly steps: readonly SceneStep[];
}

export interface SceneStep {
  readonly number: number;
  readonly line: number;
  readonly kind: Kind;
  readonly does: Does;
}

const SHIPPED_NAME = /^[a-z0-9-]+$/;
const EXTENSION = '.yaml';

const ajv = new Ajv2020({ allowUnionTypes: true, verbose: true, strictTypes: false });
const isScene = ajv.compile(sceneSchema);
const IS_STEP = Object.fromEntries(
  Object.entries(STEPS).map(([kind, schema]) => [kind, ajv.compile(schema)]),
) as Record<Kind, ValidateFunction>;
const KINDS = Object.keys(STEPS) as Kind[];

/** The names of the scenes that come with the program, with what each is about. */
export function shippedScenes(): readonly { readonly name: string; readonly about: string }[] {
  return readdirSync(__dirname)
    .filter((file) => file.endsWith(EXTENSION))
    .map((file) => ({
      name: file.slice(0, -EXTENSION.length),
      about: readScene(join(__dirname, file)).name,
    }));
}

/** @throws CommandError that names the line and the step at fault */
export function readScene(file_or_name: string): Scene {
  const file = SHIPPED_NAME.test(file_or_name) ? shippedFile(file_or_name) : file_or_name;
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines });
  const refuse = (line: number, message: string): never => {
    throw new CommandError('invalid_scene', `${file}:${line}: ${message}`);
  };
  const [error] = document.errors;
  if (error) refuse(error.linePos![0].line, error.message.split('\n')[0]!);
  const scene: unknown = document.toJS();
  if (!isScene(scene)) refuse(1, faultText(isScene.errors![0]!));
  const { name, steps } = scene as { readonly name: string; readonly steps: readonly Does[] };
  return {
    file,
    name,
    steps: steps.map((does, index) => {
      const number = index + 1;
      const { range } = document.getIn(['steps', index], true) as { range: [number] };
      const { line } = lines.linePos(range[0]);
      const kind = kindOf(does, (fault) => refuse(line, `step ${number} ${fault}`));
      return { number, line, kind, does };
    }),
  };
}

/** @throws CommandError that names the first variable that nothing gives */
export function requireVariables({ file, steps }: Scene, given: readonly string[]): void {
  const known = new Set(given);
  for (const { does, number, line } of steps) {
    const named = Array.from(JSON.stringify(does).matchAll(/\$\{([^}]*)\}/g), ([, name]) => name!);
    const unknown = named.find((name) => !known.has(name));
    if (unknown !== undefined) {
      throw new CommandError(
        'unknown_variable',
        `${file}:${line}: step ${number} needs \${${unknown}}, which no earlier step saves: give --set ${unknown}=…`,
      );
    }
    if ('save' in does) for (const name of Object.keys(does.save ?? {})) known.add(name);
  }
}

function shippedFile(name: string): string {
  const file = join(__dirname, `${name}${EXTENSION}`);
  if (statSync(file, { throwIfNoEntry: false })) return file;
  const names = shippedScenes().map((one) => one.name);
  throw new CommandError(
    'scene_not_found',
    `There is no scene ${name}: give a file, such as ./${name}.yaml, or one of ${names.join(', ')}`,
  );
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError('file_unreadable', `${file}: ${(error as Error).message}`);
  }
}

function kindOf(does: Does, refuse: (fault: string) => never): Kind {
  const isGiven = typeof does === 'object' && does !== null;
  const kinds = KINDS.filter((kind) => isGiven && Object.hasOwn(does, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds[1]) return refuse(`must have one of ${KINDS.join(', ')}`);
  const isStep = IS_STEP[kind];
  return isStep(does) ? kind : refuse(`(${kind}): ${faultText(isStep.errors!.at(-1)!)}`);
}

function faultText({ instancePath, message, params, parentSchema }: ErrorObject): string {
  const described = (parentSchema as { readonly description?: string }).description;
  const field = instancePath.slice(1).replaceAll('/', '.') || 'it';
  const { additionalProperty: unknown } = params;
  if (unknown !== undefined) return `${field} has an unknown field, ${unknown}`;
  return `${field} ${described ?? message}`;
}
