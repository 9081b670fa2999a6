import { isCommonPassword, loadCommonPasswords } from '../../secrets/common-passwords';

it.each(['password', 'PassWord123', '1q2w3e4r', 'iloveyou', 'motdepasse', 'azertyuiop'])(
  'knows %s',
  async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  },
);

it('does not know what only few have thought of', async () => {
  for (const password of ['four quiet words here', 'kopfkissen-tagebuch', '__proto__']) {
    expect([password, await isCommonPassword(password)]).toEqual([password, false]);
  }
});

it('knows some ten thousand, none of which is refused for its length already', async () => {
  const list = await loadCommonPasswords();
  expect(list.size).toBeGreaterThan(10_000);
  expect([...list].filter(({ length }) => length < 8)).toEqual([]);
});
