// Guides for the merchant's engineer: the clients, a first transfer and payment, webhooks, and what to look at before going live. The
// programs have the address of this service and what the reader knows a test key of theirs by.

import type { JSX } from 'preact';
import { listApiKeys } from '../../db/keys/api-keys';
import { KEY_PREFIX } from '../../domain/ids';
import { errorDocsUrl, REFERENCE_PATH } from '../../domain/docs-paths';
import { PREFIX } from '../../http/prefix';
import { installLines, PACKAGES_PATH, readClientPackages } from '../../pages/client-packages';
import { writeSamples } from '../../pages/samples';
import { page, pageRoute } from '../context';
import { ActionButton } from '../forms';
import { useFrame } from '../frame';
import { Copyable, Details, Link, Samples, Snippet } from '../parts';
import { firstPayment, firstTransfer, WEBHOOK_RECEIVERS } from './samples';
import { WORDS } from './words';

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
}) {
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

/** Until the account has a test key; the new key is shown once, in the call. */
function FirstCall({ base_url }: { readonly base_url: string }) {
  const { flash, language } = useFrame();
  const words = WORDS[language];
  const key = flash?.secret?.value;
  const call = { operation: 'listWallets', base_url, key: key ?? 'YOUR_TEST_KEY' };
  return (
    <section class="card">
      <h2>{words.first_call}</h2>
      <p>{words.first_call_lead}</p>
      <Samples of={writeSamples(call)} label={words.first_call} />
      {key === undefined ? (
        <ActionButton action="/keys/first">{words.make_key}</ActionButton>
      ) : (
        <p class="hint">{words.key_is_in_it}</p>
      )}
    </section>
  );
}

export const GUIDE_ROUTES = [
  pageRoute('/guides', 'keys', async ({ db, config }, { account, session, language }) => {
    const words = WORDS[language];
    const base_url = config.public_url + PREFIX;
    const newest = (await listApiKeys(db, account.user_id))
      .filter(({ environment, revoked_at }) => environment === 'sandbox' && revoked_at === null)
      .at(-1);
    const key_prefix = newest?.key_prefix ?? `${KEY_PREFIX}_test`;
    // Plain dots: many clients send no other in a header, and say so less clearly than we.
    const key = `${key_prefix}_...${newest?.last_four ?? ''}`;
    return page(
      words.guides,
      <>
        <p class="lead">{words.lead}</p>
        <nav class="actions" aria-label={words.guides}>
          <a href="#clients">{words.clients}</a>
          <a href="#first-transfer">{words.first_transfer}</a>
          <a href="#first-payment">{words.first_payment}</a>
          <a href="#webhooks">{words.webhooks}</a>
          <a href="#go-live">{words.go_live}</a>
          <a href={config.public_url + REFERENCE_PATH}>{words.reference}</a>
          <a href={errorDocsUrl(config.public_url)}>{words.errors}</a>
        </nav>
        <p>{words.api_address}</p>
        <Copyable value={base_url} label={words.api_address} />
        <p>
          {words.your_key} <code>{key}</code>
        </p>
        <p class="hint">
          {newest ? words.key_is_yours : words.no_key} <Link to="/keys">{words.make_key}</Link>
        </p>
        {session.environment === 'sandbox' && (!newest || session.sealed_flash) && (
          <FirstCall base_url={base_url} />
        )}
        <section id="clients">
          <h2>{words.clients}</h2>
          <p>{words.clients_text}</p>
          <Snippet text={installLines(config.public_url)} label={words.clients} />
          <Details
            rows={readClientPackages().map(({ name, sha256 }) => [
              <a href={`${config.public_url}${PACKAGES_PATH}/${name}`}>{name}</a>,
              <code>SHA-256 {sha256}</code>,
            ])}
          />
          <p class="hint">{words.php_upload}</p>
        </section>
        <Guide id="first-transfer" title={words.first_transfer} steps={words.first_transfer_steps}>
          <Samples of={firstTransfer({ base_url, key })} label={words.first_transfer} />
        </Guide>
        <Guide id="first-payment" title={words.first_payment} steps={words.first_payment_steps}>
          <Samples of={firstPayment({ base_url, key })} label={words.first_payment} />
        </Guide>
        <Guide id="webhooks" title={words.webhooks} steps={words.webhooks_steps}>
          <Samples of={WEBHOOK_RECEIVERS} label={words.webhooks} />
          <p class="hint">{words.php_run}</p>
          <p>
            <Link to="/webhooks">{words.to_webhooks}</Link>
          </p>
        </Guide>
        <Guide id="go-live" title={words.go_live} steps={words.go_live_steps}>
          <p class="actions">
            <Link to="/identity">{words.to_profile}</Link>
            <Link to="/keys">{words.to_keys}</Link>
            <Link to="/webhooks">{words.to_webhooks}</Link>
            <Link to="/security">{words.to_security}</Link>
          </p>
        </Guide>
      </>,
    );
  }),
];
