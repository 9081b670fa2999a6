import { keyLimitExceeded } from '../../use-cases/requests/key-limit';

it('a limit that could not be read says nothing of an earlier order under the key', () => {
  const { code, message } = keyLimitExceeded(undefined);
  expect(code).toBe('unavailable');
  expect(message).toContain(
    'an earlier request with this Idempotency-Key may still be carried out',
  );
});
