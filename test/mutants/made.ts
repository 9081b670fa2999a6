// Slips that are made from the sources: each conjunct of a `where`, `having`, join or branch condition, each
// `for update`, each field of a fingerprint and each guard before a call to a provider is left out, one at a time.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { OWNERS } from './owners';

const ROOT = join(__dirname, '..', '..');

export interface Made {
  /** The function and what it loses: it stays the same when lines move. */
  readonly id: string;
  readonly number: number;
  readonly file: string;
  /** The function. */
  readonly where: string;
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

/** All of them, in the order of danger. */
export function makeSlips(): Made[] {
  const made = OWNERS.flatMap(({ files }) => files).flatMap((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    const seen = new Map<string, number>();
    return cutsOfFile(source, file).map(({ where, start, end, to }) => {
      const id = `${file} ${where}: ${source.slice(start, end).replaceAll(/\s+/g, ' ').trim()}`;
      const count = (seen.get(id) ?? 0) + 1;
      seen.set(id, count);
      return { id: count === 1 ? id : `${id} (${count})`, file, where, start, end, to };
    });
  });
  return made.map((slip, number) => ({ ...slip, number }));
}

export function cutsOfFile(source: string, file: string): Cut[] {
  return file.endsWith('.sql') ? ofSql(source) : ofTypeScript(source, file);
}

interface Cut {
  readonly where: string;
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Presenters say what is there, and decide about no money. */
const PRESENTERS = /_json$|^note_|_audit$/;

function ofSql(source: string): Cut[] {
  const functions = /^create or replace function (\w+)[\s\S]*?\bas \$\$([\s\S]*?)\$\$;/gm;
  return [...source.matchAll(functions)].flatMap((match) => {
    const [whole, name, body] = match as unknown as [string, string, string];
    if (PRESENTERS.test(name)) return [];
    const offset = match.index + whole.length - body.length - '$$;'.length;
    return cutsOf(tokensOf(body, offset)).map((cut) => ({ ...cut, where: name }));
  });
}

function tokensOf(body: string, offset: number): Token[] {
  const tokens = body.matchAll(/--[^\n]*|'(?:[^']|'')*'|\w+|\S/g);
  return [...tokens]
    .filter(([text]) => !text.startsWith('--'))
    .map(({ 0: text, index }) => {
      const start = offset + index;
      return { text: text.toLowerCase(), start, end: start + text.length };
    });
}

type SqlCut = Omit<Cut, 'where'>;

function cutsOf(tokens: readonly Token[]): SqlCut[] {
  return tokens.flatMap(({ text, start }, i) => {
    const [next, after] = [tokens[i + 1]?.text, tokens[i + 2]?.text];
    if (text === 'where' && isOfIndex(tokens, i)) return [];
    if (['where', 'having'].includes(text)) return conjuncts(conditionFrom(tokens, i + 1), true);
    if (text === 'on' && next !== 'conflict' && tokens[i - 1]?.text !== 'distinct') {
      return conjuncts(conditionFrom(tokens, i + 1), true);
    }
    // A whole condition of a branch is no subtle slip; what it is joined with may be.
    const is_branch = text === 'if' || text === 'elsif' || (text === 'when' && next !== 'not');
    if (is_branch) return conjuncts(conditionFrom(tokens, i + 1), false);
    const is_lock = text === 'for' && (next === 'update' || (next === 'no' && after === 'key'));
    return is_lock ? [{ start, end: tokens[endOfLock(tokens, i)]!.end, to: '' }] : [];
  });
}

/** With `of t` and `skip locked`, if they are there. */
function endOfLock(tokens: readonly Token[], start: number): number {
  let end = start + (tokens[start + 1]!.text === 'no' ? 3 : 1);
  for (const more of ['of', 'skip']) if (tokens[end + 1]?.text === more) end += 2;
  return end;
}

/** After `on conflict (…)` it names an index, and decides nothing. */
function isOfIndex(tokens: readonly Token[], where: number): boolean {
  let depth = 0;
  for (let i = where - 1; i > 0; i -= 1) {
    depth -= deeper(tokens[i]!.text);
    if (depth === 0) return tokens[i - 1]!.text === 'conflict';
  }
  return false;
}

const ENDS = new Set(
  `; group order limit offset returning union except for having window join full cross inner where on loop then when
   do else`.split(/\s+/),
);

/** The condition that begins there. */
function conditionFrom(tokens: readonly Token[], first: number): Token[] {
  let depth = 0;
  for (let i = first; i < tokens.length; i += 1) {
    const { text } = tokens[i]!;
    const is_join = ['left', 'right'].includes(text) && tokens[i + 1]!.text !== '(';
    if (depth === 0 && (ENDS.has(text) || is_join)) return tokens.slice(first, i);
    depth += deeper(text);
    if (depth < 0) return tokens.slice(first, i);
  }
  return tokens.slice(first);
}

function deeper(text: string): number {
  if (['(', '[', 'case'].includes(text)) return 1;
  return [')', ']', 'end'].includes(text) ? -1 : 0;
}

/** Each part that is joined by `and` becomes true; the whole condition, when it has one part. */
function conjuncts(condition: readonly Token[], is_whole: boolean): SqlCut[] {
  const parts: { tokens: Token[]; before: string; after: string }[] = [];
  let part: Token[] = [];
  let before = '';
  let depth = 0;
  let is_between = false;
  for (const token of condition) {
    const is_joint = depth === 0 && (token.text === 'or' || (token.text === 'and' && !is_between));
    if (depth === 0 && token.text === 'between') is_between = true;
    else if (depth === 0 && token.text === 'and') is_between = false;
    if (is_joint) {
      parts.push({ tokens: part, before, after: token.text });
      before = token.text;
      part = [];
    } else {
      part.push(token);
    }
    depth += deeper(token.text);
  }
  parts.push({ tokens: part, before, after: '' });
  const is_any_and = parts.some(({ after }) => after === 'and');
  const whole = is_whole && !is_any_and ? replaced(condition) : [];
  return whole.concat(
    parts.flatMap((one) => {
      const has_and = one.before === 'and' || one.after === 'and';
      return (has_and ? replaced(one.tokens) : []).concat(within(one.tokens));
    }),
  );
}

function replaced(tokens: readonly Token[]): SqlCut[] {
  const [first, last] = [tokens[0]!, tokens.at(-1)!];
  return first.text === 'true' ? [] : [{ start: first.start, end: last.end, to: 'true' }];
}

/** The conditions in brackets, but not a select in them: that has a `where` of its own. */
function within(tokens: readonly Token[]): SqlCut[] {
  const rest = tokens[0]?.text === 'not' ? tokens.slice(1) : tokens;
  if (rest[0]?.text !== '(' || rest.at(-1)!.text !== ')' || rest[1]!.text === 'select') return [];
  return conjuncts(rest.slice(1, -1), false);
}

interface Node {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [key: string]: unknown;
}

/** These call providers; the other files of use-cases say what an order is known by. */
const ASKS = /^activities\/|^use-cases\/questions\.ts$/;

function ofTypeScript(source: string, file: string): Cut[] {
  const bytes = Buffer.from(source);
  const at = (position: number): number => bytes.subarray(0, position - 1).toString().length;
  const cuts: Cut[] = [];
  const cut = (where: string, { span }: Node, to: string, more = 0): void => {
    cuts.push({ where, start: at(span.start), end: at(span.end) + more, to });
  };
  const visit = (node: unknown, where: string): void => {
    if (Array.isArray(node)) {
      for (const one of node) visit(one, where);
    } else if (typeof node === 'object' && node !== null) {
      const one = node as Node;
      const name = one.type === 'FunctionDeclaration' ? nameOf(one.identifier as Node) : where;
      if (ASKS.test(file)) cutGuards(one, (guard, to) => cut(name, guard, to));
      else cutFields(one, (field) => cut(name, field, '', 1));
      for (const child of Object.values(one)) visit(child, name);
    }
  };
  visit(parseSync(source, { syntax: 'typescript' }).body, 'file');
  return cuts;
}

const nameOf = ({ value }: Node): string => value as string;

/** A field that an order is known by, and its comma. */
function cutFields(node: Node, cut: (field: Node) => void): void {
  for (const property of (fingerprintOf(node)?.properties ?? []) as Node[]) cut(spanOf(property));
}

/** What keyedRow is called with, or what a function returns that is called `fingerprinted…`. */
function fingerprintOf(node: Node): Node | undefined {
  if (node.type === 'CallExpression' && nameOf(node.callee as Node) === 'keyedRow') {
    return (node.arguments as { readonly expression: Node }[])[2]?.expression;
  }
  const isNamed = node.type === 'FunctionDeclaration' && (node.identifier as Node);
  if (!isNamed || !nameOf(isNamed).startsWith('fingerprinted')) return undefined;
  const { stmts } = node.body as { readonly stmts: Node[] };
  return stmts.find(({ type }) => type === 'ReturnStatement')?.argument as Node | undefined;
}

/** The compiler has no span of properties. */
function spanOf(property: Node): Node {
  if (property.type === 'Identifier') return property;
  const { key, value, spread, arguments: given } = property as unknown as Record<string, Node>;
  const { start } = key ? key.span : (spread as unknown as Node['span']);
  return { ...property, span: { start, end: (value ?? given!).span.end } };
}

/** Cuts the condition of an early return, and each part of a condition with `&&` or `||`. */
function cutGuards(node: Node, cut: (guard: Node, to: string) => void): void {
  if (node.type === 'IfStatement' && !isLogical(node.test)) {
    const then = node.consequent as Node;
    if (['ReturnStatement', 'ThrowStatement'].includes(then.type)) cut(node.test as Node, 'false');
  } else if (isLogical(node)) {
    const to = node.operator === '&&' ? 'true' : 'false';
    for (const side of [node.left, node.right] as Node[]) {
      if (!isLogical(side)) cut(side, to);
    }
  }
}

const isLogical = (node: unknown): node is Node & { readonly operator: string } =>
  (node as Node).type === 'BinaryExpression' &&
  ['&&', '||'].includes((node as Node).operator as string);
