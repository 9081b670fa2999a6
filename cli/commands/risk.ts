// Risk: the rules that hold or refuse orders, and the cases that wait for a decision.

import { writeFileSync } from 'node:fs';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { findCase, listCases, viewCase, type RiskCase } from '../../db/risk/cases';
import { listRules, type RiskRule } from '../../db/risk/rules';
import type { Db } from '../../db/connect';
import { requireUser } from '../lookups';
import type { Currency } from '../../domain/currency';
import { plainReference } from '../../domain/ids';
import { indentJson } from '../../domain/indented-json';
import { JsonText, renderJson, type JsonValue } from '../../domain/json';
import { counted } from '../../domain/language';
import { amountJson, formatAmount } from '../../domain/money';
import { CASE_STATUSES, COUNTED_BY, RULE_KINDS, type Watched } from '../../domain/risk';
import { CASE_REFUSALS, decideCase } from '../../use-cases/risk/cases';
import { presentCase, renderCase } from '../../use-cases/risk/export';
import { awaitsApproval } from './approvals';
import { command, group, run } from '../command';
import { CommandError } from '../error';
import { amountText, fieldRows } from '../intent-text';
import {
  count,
  environmentFilter,
  limitOption,
  otherCurrency,
  readAmount,
  readNeededReason,
  readReason,
  userFilter,
  wordOption,
} from '../options';
import { pursueFrom } from '../pursuit-wakeup';
import { change } from '../settings';
import { table } from '../table';
import { riskLists, riskLoad, riskScreen, riskScreening } from './risk-lists';
import { readWatched } from './risk-options';
import { riskProvider } from './risk-provider';

const riskSet = command(
  'set',
  'Set a rule: it looks at each order from the next posting on; one of the same name is replaced',
)
  .requiredOption('--name <name>', 'of the rule, in small letters')
  .addOption(wordOption('--kind <kind>', 'what it asks', RULE_KINDS).makeOptionMandatory())
  .requiredOption('--on <kinds>', 'of transfer,payout,payment', readWatched)
  .addOption(
    wordOption('--decision <decision>', 'what it says then', [
      'hold',
      'refuse',
    ] as const).makeOptionMandatory(),
  )
  .addOption(otherCurrency)
  .option('--user <username>', 'what this account sends, or is paid')
  .addOption(environmentFilter)
  .option('--above <amount>', 'amount, first_recipient: more than this')
  .addOption(wordOption('--by <what>', 'velocity, structuring: counted with the same', COUNTED_BY))
  .option('--window <time>', 'from 10s to 31d', readWindow)
  .option(
    '--count <n>',
    'velocity: more than so many; structuring: the n-th',
    count('count', 10_000),
  )
  .option('--sum <amount>', 'velocity: more than this together')
  .option('--threshold <amount>', 'structuring: amounts below this')
  .option('--margin <percent>', 'structuring: by no more than this', count('margin', 99))
  .action(
    run(async (context, options) => {
      const { name, kind, on: watches, decision, currency, environment, by } = options;
      if (!/^[a-z0-9][a-z0-9._-]{0,63}$/.test(name)) {
        throw new CommandError(
          'usage',
          '--name must be 1 to 64 small letters, digits, dots or hyphens',
        );
      }
      requireFitting(options);
      const user_id =
        options.user === undefined ? null : (await requireUser(context.db, options.user)).id;
      const minor = (option: 'above' | 'sum' | 'threshold'): string | null => {
        const text = options[option];
        if (text === undefined) return null;
        if (option === 'above' && /^0+(\.0+)?$/.test(text)) return '0';
        return readAmount(text, currency!, option).toString();
      };
      const given = {
        name,
        kind,
        watches,
        decision,
        currency: currency ?? null,
        user_id,
        environment: environment ?? null,
        above_minor: minor('above'),
        counted_by: by ?? null,
        window_seconds: options.window ?? null,
        most_count: options.count ?? null,
        most_minor: minor('sum'),
        threshold_minor: minor('threshold'),
        margin_percent: options.margin ?? null,
      };
      const request = { action: 'risk.set', arguments: given, reason: '' } as const;
      const { changed } = await change(context, request, {});
      const rule = (await listRules(context.db)).find((one) => one.name === name)!;
      return {
        json: { ...present(rule), changed },
        text: `${changed ? 'Set' : 'Set already'}: ${describe(rule)}`,
      };
    }),
  );

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function readWindow(text: string): number {
  const [, digits = '', unit = ''] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (SECONDS[unit] ?? 0);
  if (digits !== '' && seconds >= 10 && seconds <= 31 * 86_400) return seconds;
  throw new CommandError('usage', '--window must be from 10s to 31d, such as 90s, 15m, 24h or 7d');
}

const OPTIONS = ['above', 'by', 'window', 'count', 'sum', 'threshold', 'margin'] as const;
type RuleOption = (typeof OPTIONS)[number];

/** Each kind's needs, and what it may have beside them. */
const FITTING: Readonly<
  Record<(typeof RULE_KINDS)[number], readonly [readonly RuleOption[], readonly RuleOption[]]>
> = {
  amount: [['above'], []],
  first_recipient: [['above'], []],
  velocity: [
    ['by', 'window'],
    ['count', 'sum'],
  ],
  structuring: [['threshold', 'margin', 'count', 'window', 'by'], []],
};

interface GivenOptions extends Readonly<Partial<Record<RuleOption, string | number>>> {
  readonly kind: (typeof RULE_KINDS)[number];
  readonly on: readonly Watched[];
  readonly currency?: Currency | undefined;
}

function requireFitting(given: GivenOptions): void {
  const { kind, on, by, currency } = given;
  const [needed, allowed] = FITTING[kind];
  const missing = needed.find((option) => given[option] === undefined);
  const other = OPTIONS.find(
    (option) =>
      given[option] !== undefined && !needed.includes(option) && !allowed.includes(option),
  );
  const has_amount = (['above', 'sum', 'threshold'] as const).some(
    (one) => given[one] !== undefined,
  );
  const fault =
    missing !== undefined
      ? `--kind ${kind} needs --${missing}`
      : other !== undefined
        ? `--${other} is not of --kind ${kind}`
        : kind === 'velocity' && given.count === undefined && given.sum === undefined
          ? '--kind velocity needs --count, --sum or both'
          : has_amount && currency === undefined
            ? 'An amount needs --currency'
            : kind === 'structuring' && by !== 'account' && by !== 'recipient'
              ? '--kind structuring counts --by account or recipient'
              : by === 'phone' && on.some((one) => one !== 'payout')
                ? '--by phone is of payouts only'
                : (by === 'ip' || kind === 'first_recipient') && on.includes('payment')
                  ? 'A payment has no address of its sender, and no recipient to be the first'
                  : undefined;
  if (fault !== undefined) throw new CommandError('usage', fault);
}

const riskRemove = command('remove', 'Remove a rule; what it has held stays held')
  .argument('<name>', 'of the rule')
  .action(
    run(async (context, name) => {
      const request = { action: 'risk.remove', arguments: { name }, reason: '' } as const;
      const { changed } = await change(context, request, {
        rule_not_found: 'There is no rule of this name',
      });
      return { json: { name, changed }, text: `Removed ${name}.` };
    }),
  );

const riskRules = command('rules', 'Show the rules').action(
  run(async ({ db }) => {
    const rules = await listRules(db);
    return {
      json: { rules: rules.map(present) },
      text: rules.length === 0 ? 'There is no rule.' : rules.map(describe).join('\n'),
    };
  }),
);

const amountOrNull = (minor: bigint | null): JsonValue =>
  minor === null ? null : amountJson(minor);

function present(rule: RiskRule): Record<string, JsonValue> {
  return {
    name: rule.name,
    kind: rule.kind,
    on: rule.watches,
    decision: rule.decision,
    currency: rule.currency,
    user: rule.username,
    environment: rule.environment,
    above: amountOrNull(rule.above_minor),
    by: rule.counted_by,
    window_seconds: rule.window_seconds,
    count: rule.most_count,
    sum: amountOrNull(rule.most_minor),
    threshold: amountOrNull(rule.threshold_minor),
    margin: rule.margin_percent,
  };
}

function describe(rule: RiskRule): string {
  const money = (minor: bigint | null) =>
    minor === null ? undefined : `${formatAmount(minor)} ${rule.currency}`;
  const parts = [
    `${rule.name}: ${rule.decision} ${rule.watches.join(', ')}`,
    rule.kind === 'first_recipient' && 'to a new recipient',
    rule.above_minor !== null && `above ${money(rule.above_minor)}`,
    rule.threshold_minor !== null &&
      `within ${rule.margin_percent} % below ${money(rule.threshold_minor)}, the ${rule.most_count}. time`,
    rule.kind === 'velocity' && rule.most_count !== null && `more than ${rule.most_count}`,
    rule.most_minor !== null && `more than ${money(rule.most_minor)} together`,
    rule.counted_by !== null && `by ${rule.counted_by} in ${rule.window_seconds} s`,
    rule.username !== null && `of ${rule.username}`,
    rule.environment !== null && `(${rule.environment})`,
  ];
  return parts.filter((part) => part !== false).join(', ');
}

const riskCases = command('cases', 'List cases, the newest first; those that wait without --status')
  .addOption(
    wordOption('--status <status>', 'in this state', [...CASE_STATUSES, 'all'] as const).default(
      'held' as const,
    ),
  )
  .addOption(userFilter)
  .addOption(environmentFilter)
  .addOption(limitOption)
  .option('--cursor <cursor>', 'the next page')
  .action(
    run(async ({ db }, { status, user, environment, limit, cursor }) => {
      const user_id = user === undefined ? undefined : (await requireUser(db, user)).id;
      const wanted = { status: status === 'all' ? undefined : status, user_id, environment };
      const found = await listCases(db, { ...wanted, after: cursor, limit: limit + 1 });
      const cases = found.slice(0, limit);
      const next_cursor = found.length > limit ? cases.at(-1)!.reference : null;
      const rows = cases.map((one) => [
        one.reference,
        one.status,
        one.subject,
        amountOf(one),
        one.environment ?? '',
        one.username,
        one.counterparty ?? '',
        one.reasons.map(({ name }) => name).join(', '),
        one.expires_at ?? '',
      ]);
      const header = ['CASE', 'STATUS', 'SUBJECT', 'AMOUNT', 'ENVIRONMENT', 'ACCOUNT', 'TO'];
      return {
        json: { cases: cases.map(presentCase), next_cursor },
        text: cases.length === 0 ? 'No case.' : table([[...header, 'REASONS', 'EXPIRES'], ...rows]),
      };
    }),
  );

/** An account's case has none. */
const amountOf = ({ amount_minor, currency }: RiskCase): string =>
  amount_minor === null || currency === null ? '' : amountText(amount_minor, currency);

/** Held orders that are shown with an account's case. */
const MOST_WAITING = 200;

const riskShow = command('show', 'Show a case')
  .argument('<reference>', 'RSK-…')
  .action(
    run(async ({ db, actor }, reference) => {
      const one = await requireCase(db, plainReference(reference));
      await viewCase(db, one.reference, actor);
      const shown = presentCase(one);
      const text = table(fieldRows(new JsonText(renderJson(shown)), []));
      if (one.subject_type !== 'account') return { json: { case: shown }, text };
      const { user_id, username } = one;
      const waiting = await listCases(db, { status: 'held', user_id, limit: MOST_WAITING });
      const held = waiting.filter((other) => other.subject_type !== 'account').map(presentCase);
      const orders = counted('en', held.length, 'order is held', 'orders are held');
      const where = `${orders} from or to ${username}: risk cases --user ${username}`;
      return { json: { case: shown, held }, text: `${text}\n${where}` };
    }),
  );

const riskExport = command('export', 'Show a case with all that belongs to it, as JSON')
  .argument('<reference>', 'RSK-…')
  .option('--out <file>', 'written there, readable for its owner only')
  .action(
    run(async ({ db, actor }, given, { out }) => {
      const reference = plainReference(given);
      const text = await renderCase({ db, actor }, reference);
      if (text === undefined) throw caseNotFound();
      const lines = indentJson(text);
      if (out === undefined) return { json: new JsonText(text), text: lines };
      writeFileSync(out, `${lines}\n`, { mode: 0o600 });
      return { json: { reference, file: out }, text: `${reference} is in ${out}.` };
    }),
  );

const caseNotFound = () => new CommandError('case_not_found', CASE_REFUSALS.case_not_found);

async function requireCase(db: Db, reference: string): Promise<RiskCase> {
  const found = await findCase(db, reference);
  if (!found) throw caseNotFound();
  return found;
}

function decision(name: 'release' | 'refuse', summary: string): CommandUnknownOpts {
  const read = name === 'release' ? readReason : readNeededReason;
  const option = command(name, summary).argument('<reference>', 'RSK-…');
  const reasoned =
    name === 'release'
      ? option.option('--reason <reason>', 'why: for the audit log', read)
      : option.requiredOption('--reason <reason>', 'why: for the audit log', read);
  return reasoned.action(
    run(async (context, reference, { reason = '' }) => {
      const { db, actor, system } = context;
      const dependencies = {
        requesting: { db, actor },
        pay_url_base: system.pay_url_base,
        pursue: pursueFrom(context),
      };
      const done = await decideCase(dependencies, plainReference(reference), name, reason);
      if (!done.ok) {
        if (done.error !== 'refused') throw awaitsApproval(done);
        throw new CommandError(done.refusal, CASE_REFUSALS[done.refusal]);
      }
      const { decided } = done;
      return {
        json: { case: presentCase(decided) },
        text:
          decided.subject_type === 'account'
            ? `${decided.reference} is ${decided.status}: ${DECIDED_ACCOUNT[name](decided.username)}`
            : `${decided.reference} is ${decided.status}: ${decided.subject}, ${amountOf(decided)} of ${decided.username}.`,
      };
    }),
  );
}

const DECIDED_ACCOUNT = {
  release: (username: string) =>
    `${username} sends and receives again. What was held for this alone follows; what takes two operators stays: risk cases --user ${username}`,
  refuse: (username: string) =>
    `${username} is frozen. What was held stays held until you refuse it, or for 72 hours: risk cases --user ${username}`,
} as const;

export const risk = group([
  riskSet,
  riskRemove,
  riskRules,
  riskLoad,
  riskLists,
  riskScreen,
  riskScreening,
  riskProvider,
  riskCases,
  riskShow,
  riskExport,
  decision('release', 'Carry out what is held; an account whose names were found goes on'),
  decision(
    'refuse',
    'Refuse what is held: a transfer or payout comes back, a payment goes to suspense, an account is frozen',
  ),
]);
