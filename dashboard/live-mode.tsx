// The way from test mode to real money, once the account may take it.

import type { SessionRow } from '../db/people/sessions';
import { mayDo } from '../domain/members';
import { Button, Form } from './forms';
import { href, useFrame } from './frame';

/** Offered in test mode. It leads to the links, where those of test mode are offered again. */
export function GoLive({ session }: { readonly session: SessionRow }) {
  const { words } = useFrame();
  const { account, environment } = session;
  if (environment === 'live' || account?.kyc_status !== 'approved') return null;
  if (!mayDo(account.role, 'links', 'live')) return null;
  return (
    <section class="card" aria-labelledby="go-live">
      <h2 id="go-live">{words.may_go_live}</h2>
      <p>{words.may_go_live_text}</p>
      <Form action="/environment">
        <input type="hidden" name="path" value={href('/links')} />
        <Button name="environment" value="live">
          {words.go_live}
        </Button>
      </Form>
    </section>
  );
}
