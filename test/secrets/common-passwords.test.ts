import { isCommonPassword } from '../../secrets/common-passwords';

it.each(['password', 'PassWord123', '1q2w3e4r', 'iloveyou', 'motdepasse', 'azertyuiop'])(
  'knows %s',
  async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  },
);
