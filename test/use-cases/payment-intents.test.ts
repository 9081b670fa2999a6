import type { StoredIntentStatus } from '../../domain/intent';
import { cancelIntent } from '../../use-cases/payment-intents/close';

/** Cancels an intent that has one status before the workflow's response and another after it. */
async function cancel(before: StoredIntentStatus, after: StoredIntentStatus) {
  const requestCancel = jest.fn(async () => 'the response');
  const readStatus = async (): Promise<StoredIntentStatus> => after;
  const cancellation = await cancelIntent({ requestCancel, readStatus }, before);
  return { cancellation, requests: requestCancel.mock.calls.length };
}

describe('cancelIntent', () => {
  it('asks the workflow of an open intent, once', async () => {
    expect(await cancel('open', 'canceled')).toEqual({ cancellation: { ok: true }, requests: 1 });
  });

  it('changes nothing for a cancelled intent', async () => {
    expect(await cancel('canceled', 'canceled')).toEqual({
      cancellation: { ok: true },
      requests: 0,
    });
  });

  it.each(['creating', 'abandoned', 'processing', 'succeeded', 'failed', 'expired'] as const)(
    'refuses an intent that is %s without asking the workflow',
    async (status) => {
      expect(await cancel(status, status)).toEqual({
        cancellation: { ok: false, error: 'not_cancelable', status },
        requests: 0,
      });
    },
  );

  it('refuses an intent that was paid meanwhile', async () => {
    const { cancellation } = await cancel('open', 'succeeded');
    expect(cancellation).toEqual({ ok: false, error: 'not_cancelable', status: 'succeeded' });
  });

  it('returns the response of the workflow when the intent is still open', async () => {
    const { cancellation } = await cancel('open', 'open');
    expect(cancellation).toEqual({ ok: false, error: 'still_open', response: 'the response' });
  });
});
