// A scene as its file has it: read and refused as a whole, with the place of the first fault, before anything
// is called.

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isSeq, LineCounter, parseDocument } from 'yaml';
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

/** A scene of 200 steps is far smaller. */
const MAX_BYTES = 256 * 1024;
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
  const refuse = (place: number | undefined, message: string): never => {
    throw new CommandError('invalid_scene', `${file}:${lineAt(lines, place)}: ${message}`);
  };
  const [error] = document.errors;
  if (error) refuse(error.pos[0], error.message.split('\n')[0]!);
  const scene = toJs(document, (message) => refuse(undefined, message));
  if (!isScene(scene)) refuse(undefined, faultText(isScene.errors![0]!));
  const { name, steps } = scene as { readonly name: string; readonly steps: readonly Does[] };
  const nodes = isMap(document.contents) ? document.contents.get('steps') : undefined;
  return {
    file,
    name,
    steps: steps.map((does, index) => {
      const item = isSeq(nodes) ? (nodes.items[index] as { range?: [number, ...number[]] }) : {};
      const place = item.range?.[0];
      const kind = kindOf(does, (fault) => refuse(place, `step ${index + 1} ${fault}`));
      return { number: index + 1, line: lineAt(lines, place), kind, does };
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
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError('file_unreadable', `${file}: ${(error as Error).message}`);
  }
  if (text.length <= MAX_BYTES) return text;
  throw new CommandError('file_too_large', `${file} has more than ${MAX_BYTES} bytes`);
}

/** The library refuses aliases that would grow without bounds. */
function toJs(document: ReturnType<typeof parseDocument>, refuse: (fault: string) => never) {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function lineAt(lines: LineCounter, place: number | undefined): number {
  return place === undefined ? 1 : lines.linePos(place).line;
}

function kindOf(does: Does, refuse: (fault: string) => never): Kind {
  const isGiven = typeof does === 'object' && does !== null;
  const kinds = KINDS.filter((kind) => isGiven && Object.hasOwn(does, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    return refuse(`must have one of ${KINDS.join(', ')}`);
  }
  const isStep = IS_STEP[kind];
  return isStep(does) ? kind : refuse(`(${kind}): ${faultText(isStep.errors!.at(-1)!)}`);
}

function faultText({ instancePath, message, params, parentSchema }: ErrorObject): string {
  const described = (parentSchema as { readonly description?: string }).description;
  const field = instancePath.slice(1).replaceAll('/', '.') || 'it';
  if ('additionalProperty' in params)
    return `${field} has an unknown field, ${params['additionalProperty']}`;
  return `${field} ${described ?? message}`;
}
