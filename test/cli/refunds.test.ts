// Refunds at the command line: ordered for a merchant, listed and shown; above the limit by two operators.

import { pursuitWorkflowId } from '../../domain/ids';
import { auditOf } from '../support/audit';
import { limitOperators } from '../support/database';
import { balanceOf } from '../support/balances';
import { expectBooksHold } from '../support/books';
import type { HttpResponse } from '../support/http';
import { askedLongAgo } from '../support/refunds';
import { waitFor } from '../support/wait';
import { payLink, postRefund, untilRefund } from '../api/support/refunds';
import { setUpMerchantCli } from './support/merchant-cli';

const { api, cli } = setUpMerchantCli();

afterEach(async () => {
  await limitOperators(api.database, null);
  await expectBooksHold(api.database.db);
});

type Json = HttpResponse['json'];

const wallet = (): Promise<bigint> => balanceOf(api.database.db, api.merchant, 'XOF', 'sandbox');

describe('refunds create', () => {
  it('gives back what is left from the wallet of the merchant, on record, once for each key', async () => {
    const link = await payLink(api);
    const before = await wallet();
    const args = ['refunds', 'create', link.reference, '--reason', 'by phone', '--key', 'call-17'];
    const refund = (await cli.json(...args, '--actor', 'awa')) as Json;
    expect(refund).toMatchObject({
      amount: 5000,
      payment_intent_id: link.id,
      payment_reference: link.reference,
      username: api.merchant.username,
      reason: 'by phone',
    });
    await untilRefund(api, refund, 'succeeded');
    expect(await cli.json(...args)).toMatchObject({ id: refund.id, status: 'succeeded' });
    expect((await cli.run(...args)).stderr).toContain('Idempotency key: call-17\n');
    expect(await wallet()).toBe(before - 500_000n);
    const details = { amount: '5000.00', reference: refund.reference };
    expect(await auditOf(api.database, `refund/${refund.id}`)).toEqual([
      { actor: 'awa', action: 'refunds.create', details: expect.objectContaining(details) },
    ]);
    const more = await cli.fail('refunds', 'create', link.id, '--amount', '1');
    expect(more.code).toBe('refund_exceeds_payment');
    expect((await cli.fail(...args, '--amount', '7')).code).toBe('idempotency_key_reuse');
  });
});

describe('refunds fail', () => {
  const DEAD = ['--reason', 'our account there is closed'];
  const LOOKED = [...DEAD, '--gateway-made-no-refund'];

  /** Waits until the gateway has the refund. */
  function idAtGateway(id: string): Promise<string> {
    return waitFor(async () => {
      const { refund } = (await cli.json('refunds', 'show', id)) as Json;
      return refund.gateway_refund_id ?? undefined;
    });
  }

  it('gives back what the gateway never made, once an operator has looked there', async () => {
    const link = await payLink(api, { refunds: 'pending' });
    const before = await wallet();
    const { json: refund } = await postRefund(api, link.id);
    const named = ['--gateway-refund', await idAtGateway(refund.id)];
    const refused = await cli.fail('refunds', 'fail', refund.reference, ...DEAD);
    expect(refused.code).toBe('refund_pending');
    expect(refused.message).toContain('--gateway-made-no-refund');
    const known = await cli.fail('refunds', 'fail', refund.reference, ...LOOKED);
    expect(known.code).toBe('refund_at_gateway');
    expect(known.message).toContain(named.join(' '));
    const early = await cli.fail('refunds', 'fail', refund.reference, ...DEAD, ...named);
    expect(early.code).toBe('gateway_is_asked');
    expect(early.message).toContain('look there again in a few minutes');
    // Its workflow asks again and again.
    const ended = await waitFor(async () => {
      await askedLongAgo(api.database, refund.id);
      const args = ['refunds', 'fail', refund.reference, ...DEAD, ...named, '--actor', 'awa'];
      const { status, stdout } = await cli.run(...args, '--json');
      return status === 0 ? (JSON.parse(stdout) as Json) : undefined;
    });
    expect(ended).toMatchObject({
      status: 'failed',
      failure: { code: 'refund_failed', message: 'our account there is closed' },
    });
    expect(await wallet()).toBe(before);
    expect(await auditOf(api.database, `refund/${refund.id}`)).toMatchObject([
      { actor: 'awa', action: 'refunds.fail' },
    ]);
    // Its workflow was notified, and ends.
    await waitFor(async () => {
      const { workflow } = (await cli.json('refunds', 'show', refund.id)) as Json;
      return workflow.state === 'completed';
    });
    expect(await cli.fail('refunds', 'fail', refund.id, ...LOOKED)).toMatchObject({
      code: 'refund_failed',
    });
  });
});

describe('refunds list and show', () => {
  it('show every refund with what the gateway said, and intents show lists them', async () => {
    const link = await payLink(api, { refunds: 'fail' });
    const { json: refund } = await postRefund(api, link.id, { amount: 300 });
    await untilRefund(api, refund, 'failed');
    const list = `refunds list --status failed --user ${api.merchant.username}`;
    const [listed] = ((await cli.json(list)) as Json).refunds;
    expect(listed).toMatchObject({
      id: refund.id,
      gateway: 'sandbox',
      gateway_status: 'failed',
      detail: 'The account that was paid from is closed.',
      asks: expect.any(Number),
    });
    // A row ends before its workflow does.
    const shown = await waitFor(async () => {
      const seen = (await cli.json('refunds', 'show', refund.reference)) as Json;
      return seen.workflow.state === 'completed' && seen;
    });
    expect(shown.refund).toEqual(listed);
    expect(shown.workflow.id).toBe(pursuitWorkflowId('refund', 'sandbox', refund.id));
    expect(await cli.json('refunds', 'show', refund.id)).toEqual(shown);
    const { stdout } = await cli.run('refunds', 'show', refund.id);
    expect(stdout).toContain(`${refund.reference}: 300.00 XOF back to a customer of`);
    expect(stdout).toMatch(/payment_intent_id +[-0-9a-f]{36}\n/);
    expect(stdout).toMatch(/detail +The account that was paid from is closed\.\n/);
    const intent = (await cli.json('intents', 'show', link.id)) as Json;
    expect(intent.refunds).toEqual([listed]);
    expect(intent.intent.refunded_amount).toBe(0);
    expect((await cli.run('intents', 'show', link.id)).stdout).toContain(refund.reference);
    const unknown = await cli.fail('refunds', 'show', 'RFD-NOBODY');
    expect(unknown.code).toBe('refund_not_found');
  });
});
