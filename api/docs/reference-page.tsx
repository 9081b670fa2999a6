// The reference at /docs: the OpenAPI document as a page that is read without a script. What all calls have in common,
// such as the form of errors, stands there once.

import type { ComponentChildren } from 'preact';
import { ERROR_DOCS_PATH } from '../../domain/docs-paths';
import { ERRORS, type ErrorCode } from '../../domain/errors';
import { PREFIX } from '../../http/prefix';
import { buildOpenApi } from '../openapi';
import { errorsOf, type Route } from '../route';
import { ROUTES } from '../routes';
import { TAGS } from '../tags';
import { documentOf } from './document';
import { docsFileUrl } from './files';
import { markdown } from './markdown';
import { OTHER_PLACES } from './pages';
import { PLACES, samplesOf, shownPath } from './samples';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}
interface Content {
  readonly content: { readonly 'application/json': { schema: Schema; example?: unknown } };
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly { readonly name: string; readonly required: boolean }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const { info, paths, webhooks, components } = buildOpenApi('') as unknown as {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const { schemas } = components;
const { Error: failure, ErrorInfo: failure_info, ...types } = schemas;
const events = Object.values(webhooks).map(({ post }) => post);
const groups = Object.entries(TAGS).map(([tag, text]) => {
  const routes = ROUTES.filter((route) => route.tag === tag);
  const calls = routes.map((route) => paths[route.path]![route.method.toLowerCase()]!);
  const id = tag.toLowerCase().replaceAll(' ', '-');
  return { id, tag, text, routes, calls: tag === 'Webhooks' ? events : calls };
});
/** A body stands with its call. */
const bodies = groups.flatMap(({ calls }) =>
  calls.map((call) => nameOf(call.requestBody?.content['application/json'].schema.$ref ?? '')),
);
/** Each call with a key may answer these. */
const COMMON = errorsOf(ROUTES.find(({ path }) => path === '/wallets')!);

export function renderReference(public_url: string): string {
  return documentOf(
    'en',
    'Payment API: reference',
    <div class="reference">
      <header>
        <h1>API reference</h1>
        <nav aria-label="Documents">
          {OTHER_PLACES.map(([path, name]) => (
            <a href={path}>{name}</a>
          ))}
        </nav>
        <form role="search" hidden>
          <label>
            Search <input type="search" id="search" placeholder="wage, refund, /wallets" />
          </label>
          <label>
            Test key <input id="key" autocomplete="off" placeholder={PLACES.key} />
          </label>
          <output id="told" />
        </form>
      </header>
      <nav class="contents" aria-label="Contents">
        <a href="#introduction">Introduction</a>
        <a href="#errors">Errors</a>
        {groups.map(({ id, tag, calls }) => (
          <div>
            <a href={`#${id}`}>{tag}</a>
            <ul>
              {calls.map(({ operationId, summary }) => (
                <li>
                  <a href={`#${operationId}`}>{summary}</a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <a href="#types">Types</a>
      </nav>
      <main>
        <section id="introduction">
          <h2>Introduction</h2>
          {markdown(info.description)}
        </section>
        <section id="errors">
          <h2>Errors</h2>
          <p>Every failure of every call has this form:</p>
          {fieldsOf(failure!)}
          <div id="type-ErrorInfo">{fieldsOf(failure_info!)}</div>
          <p>Any call with a key may answer {codesOf(COMMON)}. The others stand with each call.</p>
        </section>
        {groups.map(({ id, tag, text, routes, calls }) => (
          <section id={id}>
            <h2>{tag}</h2>
            {markdown(text)}
            {routes.map((route, at) =>
              articleOf(calls[at]!, callOf(route, calls[at]!, public_url)),
            )}
            {routes.length === 0 && [
              <h3>Headers</h3>,
              parametersOf(events[0]!),
              ...events.map((event) => articleOf(event, eventOf(event))),
            ]}
          </section>
        ))}
        <section id="types">
          <h2>Types</h2>
          {Object.entries(types)
            .filter(([name]) => !bodies.includes(name))
            .map(([name, schema]) => (
              <article id={`type-${name}`}>
                <h3>{name}</h3>
                {markdown(schema.description)}
                {schema.properties ? fieldsOf(schema) : <p>{typeOf(schema)}</p>}
              </article>
            ))}
        </section>
      </main>
    </div>,
    <>
      <link rel="stylesheet" href={docsFileUrl('reference.css')} />
      <script src={docsFileUrl('reference.js')} defer />
    </>,
  );
}

function articleOf({ operationId: id, summary }: Operation, parts: ComponentChildren) {
  return (
    <article id={id} class="call">
      <h3>
        <a href={`#${id}`}>{summary}</a>
      </h3>
      {parts}
    </article>
  );
}

function callOf(route: Route, of: Operation, public_url: string): ComponentChildren {
  const { method, path, status, scope } = route;
  const body = of.requestBody?.content['application/json'];
  const answer = of.responses[status]!.content['application/json'];
  const own = errorsOf(route).filter((code) => !COMMON.includes(code));
  return [
    <p data-method={method} data-path={shownPath(route)}>
      <strong>{method}</strong> <code>{PREFIX + path}</code>
    </p>,
    markdown(of.description),
    route.rate && <p class="lead">{scope === null ? 'Any key.' : `Scope ${scope}.`}</p>,
    of.parameters.length > 0 && [<h4>Parameters</h4>, parametersOf(of)],
    body && [<h4>Body</h4>, fieldsOf(resolve(body.schema))],
    <p>
      Answers {status}: {typeOf(answer.schema)}
      {own.length > 0 && ['; or ', codesOf(own)]}.
    </p>,
    exampleOf('Body', body?.example),
    exampleOf('Answer', answer.example),
    samplesOf(route).map(({ language, text }) =>
      codeOf(language, text.replaceAll(PLACES.service, public_url), 'sample'),
    ),
  ];
}

function eventOf({ description, requestBody }: Operation): ComponentChildren {
  const { schema, example } = requestBody!.content['application/json'];
  const { type, data } = schema.allOf![1]!.properties!;
  return [
    <p>
      {typeOf(type!)}, with data: {typeOf(data!)}
    </p>,
    markdown(description),
    exampleOf('Body', example),
  ];
}

function exampleOf(title: string, value: unknown): ComponentChildren {
  return value !== undefined && codeOf(title, JSON.stringify(value, null, 2), title.toLowerCase());
}

function codeOf(title: string, text: string, kind: string) {
  return (
    <details class={kind}>
      <summary>{title}</summary>
      <pre>{text}</pre>
    </details>
  );
}

function codesOf(codes: readonly ErrorCode[]): ComponentChildren {
  return [...new Set(codes)].map((code, at) => [
    `${at > 0 ? ', ' : ''}${ERRORS[code].status} `,
    <a href={`${ERROR_DOCS_PATH}#${code}`}>{code}</a>,
  ]);
}

function parametersOf({ parameters }: Operation) {
  const properties = Object.fromEntries(
    parameters.map(({ name, required: _required, ...parameter }) => [
      name,
      { description: '', ...(parameter as { schema: Schema }).schema, ...parameter },
    ]),
  );
  const required = parameters.filter((one) => one.required).map(({ name }) => name);
  return fieldsOf({ properties, required });
}

function fieldsOf({ properties = {}, required = [] }: Schema) {
  return (
    <dl>
      {Object.entries(properties).map(([name, schema]) => (
        <div>
          <dt>
            <code>{name}</code> {typeOf(schema)}
            {required.includes(name) && ', required'}
          </dt>
          <dd>{markdown(schema.description ?? resolve(schema).description)}</dd>
        </div>
      ))}
    </dl>
  );
}

function resolve(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : schemas[nameOf(schema.$ref)]!;
}

function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

function typeOf(schema: Schema): ComponentChildren {
  const { $ref, items, additionalProperties: others, anyOf, oneOf, type = 'anything' } = schema;
  if ($ref !== undefined) return <a href={`#type-${nameOf($ref)}`}>{nameOf($ref)}</a>;
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values) return values.map((one, at) => [at > 0 && ', ', <code>{String(one)}</code>]);
  const choices = anyOf ?? oneOf;
  if (choices) return choices.map((one, at) => [at > 0 && ' or ', typeOf(one)]);
  if (items) return ['list of ', typeOf(items)];
  if (typeof others === 'object') return ['object of ', typeOf(others)];
  return [type].flat().join(' or ');
}
