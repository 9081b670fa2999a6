// Guides for the merchant's engineer: a first payment, webhooks, and what to look at before going live. The
// programs have the address of this service and what the reader knows a test key of theirs by.

import type { JSX } from 'preact';
import { listApiKeys } from '../../db/keys/api-keys';
import { errorDocsUrl, REFERENCE_PATH } from '../../domain/docs-paths';
import { PREFIX } from '../../http/prefix';
import type { Sample } from '../../pages/samples';
import {
  page,
  pageRoute,
  type Answer,
  type DashboardDependencies,
  type MemberVisit,
} from '../context';
import { useFrame } from '../frame';
import { Copyable, Link, Snippet } from '../parts';
import { firstPayment, WEBHOOK_RECEIVERS } from './samples';
import { WORDS } from './words';

async function showGuides(
  { db, config }: DashboardDependencies,
  { account, language }: MemberVisit,
): Promise<Answer> {
  const words = WORDS[language];
  const base_url = config.public_url + PREFIX;
  const newest = (await listApiKeys(db, account.user_id))
    .filter(({ environment, revoked_at }) => environment === 'sandbox' && revoked_at === null)
    .at(-1);
  const key_prefix = newest?.key_prefix ?? `${config.key_prefixes[0]}_test`;
  // Plain dots: many clients send no other in a header, and say so less clearly than we.
  const key = `${key_prefix}_...${newest?.last_four ?? ''}`;
  return page(
    words.guides,
    <>
      <p class="lead">{words.lead}</p>
      <nav class="actions" aria-label={words.guides}>
        <a href="#first-payment">{words.first_payment}</a>
        <a href="#webhooks">{words.webhooks}</a>
        <a href="#go-live">{words.go_live}</a>
        <a href={config.public_url + REFERENCE_PATH}>{words.reference}</a>
        <a href={errorDocsUrl(config.public_url)}>{words.errors}</a>
      </nav>
      <p>{words.api_address}</p>
      <Copyable value={base_url} label={words.api_address} />
      <p>
        {words.your_key}: <code>{key}</code>
      </p>
      <p class="hint">
        {newest ? words.key_is_yours : words.no_key}{' '}
        {!newest && <Link to="/keys">{words.make_key}</Link>}
      </p>
      <Guide id="first-payment" title={words.first_payment} steps={words.first_payment_steps}>
        <Samples of={firstPayment({ base_url, key })} />
      </Guide>
      <Guide id="webhooks" title={words.webhooks} steps={words.webhooks_steps}>
        <Samples of={WEBHOOK_RECEIVERS} />
        <p class="hint">{words.php_run}</p>
        <p>
          <Link to="/webhooks">{words.to_webhooks}</Link>
        </p>
      </Guide>
      <Guide id="go-live" title={words.go_live} steps={words.go_live_steps}>
        <p class="actions">
          <Link to="/profile">{words.to_profile}</Link>
          <Link to="/keys">{words.to_keys}</Link>
          <Link to="/webhooks">{words.to_webhooks}</Link>
          <Link to="/security">{words.to_security}</Link>
        </p>
      </Guide>
    </>,
  );
}

function Guide({
  id,
  title,
  steps,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly steps: readonly string[];
  readonly children: JSX.Element | readonly JSX.Element[];
}): JSX.Element {
  return (
    <section id={id}>
      <h2>{title}</h2>
      <ol>
        {steps.map((step) => (
          <li>{step.split('`').map((text, at) => (at % 2 === 1 ? <code>{text}</code> : text))}</li>
        ))}
      </ol>
      {children}
    </section>
  );
}

/** The first is open: a reader has one language. */
function Samples({ of }: { readonly of: readonly Sample[] }): JSX.Element {
  const words = WORDS[useFrame().language];
  return (
    <>
      {of.map(({ language, text }, at) => (
        <details class="card" open={at === 0}>
          <summary>{language}</summary>
          <Snippet text={text} label={words.sample(language)} />
        </details>
      ))}
    </>
  );
}

export const GUIDE_ROUTES = [pageRoute('/guides', 'read', showGuides)];
