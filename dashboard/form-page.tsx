// A form and what it sends: the page with its fields, what is wrong with them, and the answer. An order is sent once for
// its draft, and one whose outcome is not known is asked for again with the same key; a form with a `check` shows what
// the order comes to before it is sent. Each form declares what is its own.

import type { ComponentChildren } from 'preact';
import { isDatabaseUnavailable } from '../db/errors';
import { ERRORS, SHOWN_REFUSALS } from '../domain/errors';
import type { Language } from '../domain/language';
import type { Permission } from '../domain/members';
import { Refusal } from '../domain/refusal';
import {
  draftForm,
  draftPage,
  formRoute,
  page,
  pageRoute,
  seeOther,
  type Access,
  type Answer,
  type DashboardDependencies,
  type DashboardRoute,
  type DependenciesFor,
  type DraftVisit,
  type Confirmed,
  type Visit,
  type VisitFor,
  type Faults,
} from './context';
import { goOnTo, type DraftedOperation } from './drafts';
import { Controls, readFields, type BodySchema, type Read, type Shapes } from './form-fields';
import { FORM_WORDS } from './form-words';
import { Button, Form } from './forms';
import { useFrame } from './frame';
import { Details, Link, Notice, type Detail } from './parts';
import { troublePage } from './trouble';

/** The form comes back with what is wrong: 422 unless it says another status. */
export interface Faulty {
  readonly faults?: Faults;
  readonly notice?: string | undefined;
  readonly status?: number;
}

export interface FormWords {
  readonly title: string;
  readonly button: string;
  readonly look?: 'danger' | 'plain' | undefined;
  readonly lead?: string;
  /** Stands below the button that sends. */
  readonly note?: string;
  readonly more?: string;
  /** Where one goes on from here, other than by the button. */
  readonly links?: readonly { readonly to: string; readonly label: string }[];
}

/** A page that shows what an order comes to, with the button that sends it. */
export interface Checked {
  readonly title: string;
  readonly content: ComponentChildren;
  readonly button: string;
  readonly look?: 'danger' | undefined;
}

type VisitOf<A extends Access, O> = O extends DraftedOperation ? DraftVisit : VisitFor<A>;

export interface FormPage<
  A extends Access,
  O extends DraftedOperation | undefined,
  Found,
  S extends BodySchema,
> {
  readonly path: string;
  /** Where the form is sent that does what it says, when that is not the page's path. */
  readonly sent_to?: string;
  readonly access: A;
  /** Its name in the log of activities. */
  readonly action: string | null;
  readonly confirmed?: Confirmed;
  readonly operation?: O;
  /** The record that the path names. */
  readonly find?: (
    dependencies: DependenciesFor<A>,
    visit: VisitFor<A>,
  ) => Promise<Found | undefined>;
  readonly words: (language: Language, found: Found) => FormWords;
  /** The schema of the API's body; without it there is nothing to fill in. */
  readonly body?: S;
  /** The fields, or a sentence that says why there are none. To read them, no provider is asked for its choices. */
  readonly fields?: (
    dependencies: DependenciesFor<A>,
    visit: VisitFor<A>,
    found: Found,
    use: 'show' | 'read',
  ) => Shapes | string | Promise<Shapes | string>;
  readonly above?: (visit: VisitFor<A>, found: Found) => ComponentChildren;
  readonly check?: {
    readonly path: string;
    readonly show: (
      dependencies: DependenciesFor<A>,
      visit: VisitOf<A, O>,
      order: Read<S> & { readonly found: Found },
    ) => Promise<Checked | Faulty | Answer>;
  };
  /** Undefined when there is no such record. */
  readonly send: (
    dependencies: DependenciesFor<A>,
    visit: VisitOf<A, O>,
    order: Read<S> & { readonly found: Found },
  ) => Promise<Answer | Faulty | undefined>;
  /** The words for a refusal that says more than its code, or belongs beside a field. */
  readonly refused?: (error: Refusal, visit: VisitFor<A>, found: Found) => Faulty | undefined;
}

/** Any form: the router gives each what its access promises. */
type AnyForm = FormPage<Permission, DraftedOperation, unknown, BodySchema>;

interface Call {
  readonly form: AnyForm;
  readonly dependencies: DashboardDependencies;
  readonly visit: DraftVisit;
  readonly found: unknown;
}

type Step = (call: Call) => Promise<Answer>;

const NOTHING: BodySchema = { type: 'object', properties: {} };

/** The routes of the page, of what it sends, and of the page that checks it in between. */
export function formRoutes<
  A extends Access,
  Found = undefined,
  S extends BodySchema = BodySchema,
  O extends DraftedOperation | undefined = undefined,
>(declared: FormPage<A, O, Found, S>): DashboardRoute[] {
  const form = declared as unknown as AnyForm;
  const { path, sent_to = path, access, action, confirmed, operation, check } = form;
  const at = (step: Step) => async (dependencies: DashboardDependencies, visit: DraftVisit) => {
    const found = form.find && (await form.find(dependencies, visit));
    if (form.find && found === undefined) return troublePage(visit.language, { kind: 'unknown' });
    return step({ form, dependencies, visit, found });
  };
  if (operation === undefined) {
    type Handler = DashboardRoute['handler'];
    return [
      pageRoute(path, access, at((call) => showForm(call)) as Handler),
      formRoute(sent_to, access, action, at(sendForm) as Handler, confirmed),
    ];
  }
  const goOn: Step = async ({ dependencies, visit }) =>
    goOnTo(fill(check!.path, visit))(dependencies, visit);
  const way = check
    ? [
        draftForm(operation, check.path, access, null, at(goOn)),
        draftPage(operation, check.path, access, at(checkForm)),
      ]
    : [];
  return [
    draftPage(
      operation,
      path,
      access,
      at((call) => showForm(call)),
    ),
    ...way,
    draftForm(operation, sent_to, access, action!, at(sendForm), confirmed ? { confirmed } : {}),
  ];
}

/** The route of a form on a record's page, which says there what came of it. */
export function actionRoute<A extends Access, Found>({
  path,
  access,
  action,
  confirmed,
  find,
  subject,
  act,
}: Pick<FormPage<A, undefined, Found, BodySchema>, 'path' | 'access' | 'action' | 'confirmed'> & {
  readonly find: NonNullable<FormPage<A, undefined, Found, BodySchema>['find']>;
  /** A refusal's, for the log of activities. */
  readonly subject?: (found: Found) => string;
  /** Undefined when there is no such record. */
  readonly act: (
    dependencies: DependenciesFor<A>,
    visit: VisitFor<A>,
    found: Found,
  ) => Promise<Answer | undefined>;
}): DashboardRoute {
  const handle = async (dependencies: DependenciesFor<A>, visit: VisitFor<A>): Promise<Answer> => {
    const { language } = visit;
    const found = await find(dependencies, visit);
    if (found === undefined) return troublePage(language, { kind: 'unknown' });
    try {
      const answer = await act(dependencies, visit, found);
      return answer ?? troublePage(language, { kind: 'unknown' });
    } catch (error) {
      const notice = error instanceof Refusal ? shownText(language, error) : undefined;
      if (notice === undefined) throw error;
      return seeOther(fill(path.replace(/\/[^/]+$/, ''), visit), {
        flash: { notice, tone: 'bad' },
        ...(subject ? { subject: subject(found) } : {}),
      });
    }
  };
  return formRoute(path, access, action, handle, confirmed);
}

/** `/links/:id/refund` of this visit. */
function fill(path: string, { params }: Visit): string {
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}

/** The fields, or why there are none. */
async function fieldsOf(
  { form, dependencies, visit, found }: Call,
  use: 'show' | 'read',
): Promise<Shapes | string> {
  return (await form.fields?.(dependencies, visit, found, use)) ?? {};
}

/** A frozen account begins no order; one that was sent before it was frozen may have been carried out. */
const isHeld = ({ form, visit }: Call): boolean =>
  form.operation !== undefined && visit.account.is_frozen;

async function showForm(call: Call, faulty?: Faulty): Promise<Answer> {
  const { form, visit, found } = call;
  const { faults = {}, notice, status = faulty ? 422 : 200 } = faulty ?? {};
  const shapes = isHeld(call) ? FORM_WORDS[visit.language].frozen : await fieldsOf(call, 'show');
  const words = form.words(visit.language, found);
  const is_sent = visit.ctx.method === 'POST';
  const isFilledIn = Object.keys(shapes).length > 0;
  const said = typeof shapes === 'string' ? shapes : notice;
  const { check, sent_to = form.path } = form;
  return page(
    words.title,
    <>
      {said && <Notice tone="bad">{said}</Notice>}
      {words.lead && typeof shapes !== 'string' && <p class="lead">{words.lead}</p>}
      {form.above?.(visit, found)}
      {typeof shapes !== 'string' && (
        <Form
          action={fill(check?.path ?? sent_to, visit)}
          noValidate
          {...(isFilledIn && !form.operation ? { class: 'card' } : {})}
        >
          <Controls
            schema={form.body ?? NOTHING}
            shapes={shapes}
            source={is_sent ? visit.form : visit.query}
            is_sent={is_sent}
            faults={faults}
            more={words.more ?? FORM_WORDS[visit.language].more}
          />
          <Button look={check ? undefined : words.look}>
            {check ? FORM_WORDS[visit.language].next : words.button}
          </Button>
        </Form>
      )}
      {words.note && !check && typeof shapes !== 'string' && <p class="hint">{words.note}</p>}
      <Links words={words} />
    </>,
    status,
  );
}

function Links({ words: { links } }: { readonly words: FormWords }) {
  if (!links) return null;
  return (
    <p class="actions">
      {links.map(({ to, label }) => (
        <Link to={to}>{label}</Link>
      ))}
    </p>
  );
}

async function sendForm(call: Call): Promise<Answer> {
  const { form, dependencies, visit, found } = call;
  const read = await readOrder(call, visit.form);
  if (!('body' in read)) return showForm(call, read);
  try {
    const sent = await form.send(dependencies, visit, { ...read, found });
    if (sent === undefined) return troublePage(visit.language, { kind: 'unknown' });
    return 'kind' in sent ? sent : await showForm(call, sent);
  } catch (error) {
    if (form.operation && isUnknown(error)) return unknownPage(call, read);
    return refusedPage(call, error);
  }
}

async function readOrder(call: Call, source: URLSearchParams): Promise<Read<BodySchema> | Faulty> {
  const { form, visit } = call;
  const shapes = await fieldsOf(call, 'read');
  if (typeof shapes === 'string') return { status: 403 };
  return readFields(visit.language, form.body ?? NOTHING, shapes, source);
}

/** An unknown outcome is asked for again with the same key. */
function isUnknown(error: unknown): boolean {
  if (isDatabaseUnavailable(error)) return true;
  if (!(error instanceof Refusal)) return false;
  return error.code === 'unavailable' || error.code === 'idempotency_in_progress';
}

/** The record may have changed by now: the page shows how it stands. @throws what the form has no words for */
async function refusedPage(call: Call, error: unknown): Promise<Answer> {
  if (!(error instanceof Refusal)) throw error;
  const { form, dependencies, visit } = call;
  const { code, retry_after_seconds } = error;
  const found = (await form.find?.(dependencies, visit)) ?? call.found;
  const now = { ...call, found };
  const said = form.refused?.(error, visit, found) ?? (await wordsOf(now, error));
  if (!said) throw error;
  const seconds = retry_after_seconds ?? (said.status === 503 ? 1 : undefined);
  if (seconds !== undefined) visit.ctx.set('Retry-After', String(seconds));
  return showForm(now, { status: code === 'rate_limited' ? 429 : 422, ...said });
}

async function wordsOf(call: Call, error: Refusal): Promise<Faulty | undefined> {
  const { code, about } = error;
  const { language } = call.visit;
  const [param = ''] = (about.param ?? '').split('/');
  const shapes = await fieldsOf(call, 'read');
  if (code === 'invalid_request' && typeof shapes !== 'string' && shapes[param]) {
    return { faults: { [param]: shapes[param].fault ?? FORM_WORDS[language].wrong } };
  }
  const notice = shownText(language, error);
  return notice === undefined ? undefined : { notice, status: ERRORS[code].status };
}

/** A page of its own leads to the identity check. */
/** Undefined: pages have no text for it. */
export function shownText(language: Language, { code }: Refusal): string | undefined {
  return code === 'kyc_required' ? undefined : SHOWN_REFUSALS[language][code];
}

/** Reads only what a form of this browser has kept: a check may count what does not exist, which a link elsewhere must not. */
async function checkForm(call: Call): Promise<Answer> {
  const { form, dependencies, visit, found } = call;
  if (!visit.ctx.state.carried?.kept) return seeOther(fill(form.path, visit));
  if (isHeld(call)) return showForm(call, { status: 403 });
  const read = await readOrder(call, visit.query);
  if (!('body' in read)) return showForm(call, read);
  let checked: Checked | Faulty | Answer;
  try {
    checked = await form.check!.show(dependencies, visit, { ...read, found });
  } catch (error) {
    return refusedPage(call, error);
  }
  if ('kind' in checked) return checked;
  if (!('content' in checked)) return showForm(call, checked);
  const { title, content, button, look } = checked;
  const words = form.words(visit.language, found);
  return page(
    title,
    <>
      {content}
      <SendAgain call={call} texts={read.texts} button={button} look={look} />
      {words.note && <p class="hint">{words.note}</p>}
      <Change to={fill(form.path, visit)} />
      <Links words={words} />
    </>,
  );
}

/** The fields of an order that was filled in, with the button that sends it. */
function SendAgain({
  call: { form, visit },
  texts,
  button,
  look,
}: {
  readonly call: Call;
  readonly texts: URLSearchParams;
  readonly button: string;
  readonly look?: 'danger' | undefined;
}) {
  return (
    <Form action={fill(form.sent_to ?? form.path, visit)}>
      {[...texts].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <Button look={look}>{button}</Button>
    </Form>
  );
}

/** Leads back to the form as it was filled in. */
function Change({ to }: { readonly to: string }) {
  const { language, path } = useFrame();
  return (
    <p>
      <Link to={path.replace(/^[^?]*/, to)}>{FORM_WORDS[language].change}</Link>
    </p>
  );
}

async function unknownPage(call: Call, { texts }: Read<BodySchema>): Promise<Answer> {
  const { form, visit, found } = call;
  const { language, ctx } = visit;
  const words = FORM_WORDS[language];
  const shapes = await fieldsOf(call, 'read');
  const rows = [...texts].map(([name, text]): Detail => {
    const { label = '', type, options } = typeof shapes === 'string' ? {} : shapes[name]!;
    const value = options?.find((one) => one.value === text)?.label ?? text;
    return [label, text !== '' && type !== 'hidden' && <bdi>{value}</bdi>];
  });
  ctx.set('Retry-After', '1');
  return page(
    words.unknown,
    <>
      <Notice tone="warn">{words.unknown_text}</Notice>
      <Details rows={rows} />
      <SendAgain call={call} texts={texts} button={words.ask_again} />
      <Links words={form.words(language, found)} />
    </>,
    503,
  );
}
