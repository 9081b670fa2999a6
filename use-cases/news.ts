// Tells people by mail what has happened to their accounts, each thing once
// (docs/decisions/dashboard.md).

import type { Addressee } from '../db/accounts/identity-checks';
import type { Db } from '../db/connect';
import {
  forgetTold,
  listDueRegular,
  listExpiringKeys,
  listHappenings,
  listMovedWallets,
  listOtherOperators,
  listPayoutApprovers,
  listReaders,
  listReceived,
  listUntoldApprovals,
  listUntoldPayouts,
  sumReceivedOn,
  tellOnce,
  tellReceived,
  tellWaitingPayouts,
  type DueRegular,
  type ExpiringKey,
  type Happening,
  type MovedWallet,
  type ReceivedRow,
  type WaitingApproval,
  type WaitingPayout,
  type WaitingPayouts,
} from '../db/people/news';
import type { NewMail } from '../db/people/mails';
import { sumPayoutItems } from '../db/payout-batches/payout-batches';
import type { Currency } from '../domain/currency';
import type { Language } from '../domain/language';
import { forEach } from '../domain/limit';
import { formatDay, formatMoney, formatMonth, formatTime } from '../pages/formats';
import type { Sealer } from '../secrets/seal';
import { MAIL_TEXTS } from './mail-texts';
import { mailIn, sealMail, type MailText } from './mails';
import { oneLine, withoutLinks } from './receipts';

export interface NewsDependencies {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly wakeMail: (id: string) => void;
  /** The dashboard's address, without a slash at its end. */
  readonly dashboard_url: string;
  readonly log: (entry: Readonly<Record<string, unknown>>) => void;
}

/** A wallet's mails in a day to each person. What comes later is in the next morning's sums. */
export const MAILS_A_DAY = 20;
/** Payments in a mail. */
export const LINES = 20;
/** A description is cut: a mail in both languages fits its row, whatever the signs are. */
const LONG = /^(.{60}).+$/su;
const LISTED = 500;
const AT_ONCE = 4;
/** More than the longest month and the day before. */
const TOLD_DAYS = 70;
/** The hour, UTC, at which people in West Africa begin their day. */
const MORNING = 6;

export async function tellNews(
  dependencies: NewsDependencies,
  signal: AbortSignal,
  morning = MORNING,
): Promise<void> {
  const { db } = dependencies;
  const treat = <Item>(
    list: (db: Db, limit: number) => Promise<readonly Item[]>,
    tell: (dependencies: NewsDependencies, item: Item) => Promise<boolean>,
  ) => tellAll(dependencies, signal, () => list(db, LISTED), tell);
  await treat(listMovedWallets, tellOfWallet);
  await treat(listHappenings, tellOfHappening);
  await treat(listUntoldApprovals, tellOfApproval);
  await treat(listUntoldPayouts, tellOfPayouts);
  await treat(listExpiringKeys, tellOfKey);
  await treat((from, limit) => listDueRegular(from, limit, morning), tellOfRegular);
  await forgetTold(db, TOLD_DAYS);
}

/** An item whose mails cannot be written is logged; the others are still sent. */
async function tellAll<Item>(
  dependencies: NewsDependencies,
  signal: AbortSignal,
  list: () => Promise<readonly Item[]>,
  tell: (dependencies: NewsDependencies, item: Item) => Promise<boolean>,
): Promise<void> {
  let items: readonly Item[];
  let told: number;
  do {
    told = 0;
    items = await list();
    await forEach(items, AT_ONCE, async (item) => {
      if (signal.aborted) return;
      try {
        if (await tell(dependencies, item)) told += 1;
      } catch (error) {
        dependencies.log({ part: 'news', error: String(error) });
      }
    });
  } while (items.length === LISTED && told > 0 && !signal.aborted);
}

/** False when another process was first. `record` writes the mails with the fact that they were sent. */
async function send(
  dependencies: NewsDependencies,
  readers: readonly Addressee[],
  write: (language: Language) => MailText,
  record: (mails: readonly NewMail[]) => Promise<boolean>,
): Promise<boolean> {
  const mails = readers.map((reader) => sealMail(dependencies.sealer, mailIn(reader, write)));
  return keep(dependencies, mails, () => record(mails));
}

async function keep(
  { wakeMail }: NewsDependencies,
  mails: readonly NewMail[],
  record: () => Promise<boolean>,
): Promise<boolean> {
  const is_first = await record();
  if (is_first) mails.forEach(({ id }) => wakeMail(id));
  return is_first;
}

async function tellOfWallet(dependencies: NewsDependencies, wallet: MovedWallet): Promise<boolean> {
  const { db, dashboard_url } = dependencies;
  const received = wallet.mails < MAILS_A_DAY ? await listReceived(db, wallet, LINES + 1) : [];
  const readers = received.length > 0 ? await listReaders(db, wallet.user_id, 'payments') : [];
  return send(
    dependencies,
    readers,
    (language) => receivedMail(language, wallet, received, dashboard_url),
    (mails) => tellReceived(db, wallet, mails, MAILS_A_DAY),
  );
}

function receivedMail(
  language: Language,
  { username, currency, mails }: MovedWallet,
  received: readonly ReceivedRow[],
  dashboard_url: string,
): MailText {
  const words = MAIL_TEXTS[language];
  const shown = received.slice(0, LINES);
  const total = shown.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
  const amount = formatMoney(language, total, currency);
  const several =
    received.length > LINES ? words.received_more(LINES) : words.received(shown.length, amount);
  const subject = shown.length === 1 ? words.received_one(amount) : several;
  const lines = shown.map((row) =>
    [
      formatMoney(language, row.amount_minor, currency),
      row.type === 'transfer_in' && row.counterparty !== null
        ? words.transfer_from(row.counterparty)
        : words.payment,
      ...(row.description === null
        ? []
        : [words.quoted(withoutLinks(oneLine(row.description).replace(LONG, '$1…')))]),
      formatTime(language, row.created_at),
      row.reference,
    ].join(' · '),
  );
  const is_last = mails + 1 === MAILS_A_DAY;
  return {
    subject,
    text: textOf([
      subject,
      `${words.in_account(username)}\n${lines.join('\n')}`,
      ...(is_last ? [words.last_today(MAILS_A_DAY)] : []),
      `${words.all}\n${dashboard_url}/transactions`,
      `${words.change}\n${switchesUrl(dashboard_url)}`,
    ]),
  };
}

async function tellOfHappening(
  dependencies: NewsDependencies,
  happening: Happening,
): Promise<boolean> {
  const { db, dashboard_url } = dependencies;
  const { user_id, kind } = happening;
  const isOfEndpoint = kind === 'endpoint_failing' || kind === 'endpoint_disabled';
  return send(
    dependencies,
    await listReaders(db, user_id, isOfEndpoint ? 'endpoints' : 'owner'),
    (language) => happeningMail(language, happening, dashboard_url),
    (mails) => tellOnce(db, happening, mails, isOfEndpoint ? user_id : null),
  );
}

function happeningMail(
  language: Language,
  { kind, username, environment, url }: Happening,
  dashboard_url: string,
): MailText {
  const words = MAIL_TEXTS[language];
  switch (kind) {
    case 'users.freeze':
      return words.frozen(username, dashboard_url);
    case 'users.unfreeze':
      return words.unfrozen(username, dashboard_url);
    case 'endpoint_failing':
    case 'endpoint_disabled':
      return words[kind](
        url ?? '',
        environment ?? 'live',
        `${dashboard_url}/webhooks`,
        switchesUrl(dashboard_url),
      );
  }
}

async function tellOfApproval(
  dependencies: NewsDependencies,
  { id, amount_minor, currency, requested_by, requested_at }: WaitingApproval,
): Promise<boolean> {
  const { db, dashboard_url } = dependencies;
  return send(
    dependencies,
    await listOtherOperators(db, requested_by),
    (language) =>
      MAIL_TEXTS[language].approval(
        amount_minor === null || currency === null
          ? null
          : formatMoney(language, amount_minor, currency),
        requested_by,
        `${dashboard_url}/operators/approvals`,
      ),
    (mails) => tellOnce(db, { kind: 'approval', subject: id, at: requested_at }, mails),
  );
}

/** Each owner hears of payouts that others have ordered: they cannot approve their own. */
async function tellOfPayouts(
  dependencies: NewsDependencies,
  waiting: WaitingPayouts,
): Promise<boolean> {
  const { db, sealer } = dependencies;
  const mails: NewMail[] = [];
  for (const owner of await listPayoutApprovers(db, waiting.user_id)) {
    const items = waiting.items.filter(({ ordered_by }) => ordered_by !== owner.login_id);
    if (items.length === 0) continue;
    const shown = await Promise.all(
      items.slice(0, LINES).map((item) => describe(dependencies, item)),
    );
    const write = (language: Language): MailText =>
      payoutsMail(language, waiting.username, shown, items.length);
    mails.push(sealMail(sealer, mailIn(owner, write)));
  }
  return keep(dependencies, mails, () => tellWaitingPayouts(db, waiting, mails));
}

interface ShownPayout {
  readonly link: string;
  /** The number of a batch's payouts. */
  readonly payouts: number | undefined;
  readonly sums: ReadonlyMap<Currency, bigint>;
}

async function describe(
  { db, dashboard_url }: NewsDependencies,
  { id, reference, currency, amount_minor }: WaitingPayout,
): Promise<ShownPayout> {
  if (reference !== null) {
    const link = `${dashboard_url}/payouts/${reference}`;
    return { link, payouts: undefined, sums: new Map([[currency, amount_minor]]) };
  }
  const pending = (await sumPayoutItems(db, id)).filter(({ status }) => status === 'pending');
  const payouts = pending.reduce((sum, { count }) => sum + Number(count), 0);
  const sums = new Map<Currency, bigint>();
  for (const row of pending) {
    sums.set(row.currency, (sums.get(row.currency) ?? 0n) + row.amount_minor);
  }
  return { link: `${dashboard_url}/payout-batches/${id}`, payouts, sums };
}

function payoutsMail(
  language: Language,
  username: string,
  shown: readonly ShownPayout[],
  count: number,
): MailText {
  const words = MAIL_TEXTS[language];
  const amountOf = ({ sums }: ShownPayout): string =>
    [...sums].map(([currency, sum]) => formatMoney(language, sum, currency)).join(' + ');
  const [first] = shown as readonly [ShownPayout];
  if (count === 1) {
    const { payouts, link } = first;
    return payouts === undefined
      ? words.payout(amountOf(first), username, link)
      : words.payout_batch(payouts, amountOf(first), username, link);
  }
  const lines = shown.map((one) => `${amountOf(one)} · ${one.link}`);
  return words.payouts(count, username, lines.join('\n'));
}

async function tellOfKey(dependencies: NewsDependencies, key: ExpiringKey): Promise<boolean> {
  const { db, dashboard_url } = dependencies;
  const { id, user_id, username, environment, name, key_prefix, last_four, days, at } = key;
  const shown = `${key_prefix}_…${last_four}`;
  return send(
    dependencies,
    await listReaders(db, user_id, 'owner'),
    (language) =>
      MAIL_TEXTS[language].key_expiry(
        name === '' ? shown : `${withoutLinks(oneLine(name))} (${shown})`,
        username,
        environment,
        days === 0 ? null : formatTime(language, key.expires_at),
        `${dashboard_url}/keys`,
      ),
    (mails) => tellOnce(db, { kind: 'key_expiry', subject: id, at }, mails),
  );
}

async function tellOfRegular(dependencies: NewsDependencies, due: DueRegular): Promise<boolean> {
  const { db, dashboard_url } = dependencies;
  const { kind, user_id, username, at, is_full } = due;
  const record: Parameters<typeof send>[3] = (mails) =>
    tellOnce(db, { kind, subject: user_id, at }, mails);
  const profile = switchesUrl(dashboard_url);
  if (kind === 'statement') {
    const write = (language: Language): MailText =>
      MAIL_TEXTS[language].statement(
        username,
        formatMonth(language, at),
        `${dashboard_url}/statements`,
        profile,
      );
    return send(dependencies, await listReaders(db, user_id, 'statements'), write, record);
  }
  const sums = await sumReceivedOn(db, user_id, at);
  const readers = await listReaders(db, user_id, 'digest');
  const others = is_full ? await listReaders(db, user_id, 'payments') : [];
  const all = new Map([...readers, ...others].map((reader) => [reader.email, reader]));
  const write = (language: Language): MailText => {
    const words = MAIL_TEXTS[language];
    const subject = words.digest(formatDay(language, at));
    const lines = sums.map(({ count, amount_minor, currency }) =>
      words.sum(count, formatMoney(language, amount_minor, currency)),
    );
    return {
      subject,
      text: textOf([
        subject,
        `${words.in_account(username)}\n${lines.join('\n')}`,
        `${words.all}\n${dashboard_url}/transactions`,
        `${words.change}\n${profile}`,
      ]),
    };
  };
  return send(dependencies, sums.length > 0 ? [...all.values()] : [], write, record);
}

function switchesUrl(dashboard_url: string): string {
  return `${dashboard_url}/profile#mails`;
}

function textOf(paragraphs: readonly string[]): string {
  return `${paragraphs.join('\n\n')}\n`;
}
