import fc from 'fast-check';
import { maskName, matchNames, possibleOperators, shownName } from '../../domain/payout';

describe('names', () => {
  it.each([
    ['Awa Diop', 'Awa Diop', 'match'],
    ['awa  DIOP', 'Diop, Awa', 'match'],
    ['Ndèye Fatou Sow', 'Ndeye Fatou Sow', 'match'],
    ['Awa Diop', 'Awa Ndiaye Diop', 'close'],
    ['Awa Ndiaye Diop', 'Awa Diop', 'close'],
    ['Awa Diop', 'Ava Diop', 'close'],
    ['Awa Diop', 'Awa Dio', 'close'],
    ['Ousmane Ouédraogo', 'OUEDRAGO OUSMANE', 'close'],
    ['Awa Diop', 'Moussa Traoré', 'no_match'],
    ['Awa Diop', 'Awa Diallo', 'no_match'],
    ['Awa Diop', null, 'unavailable'],
    ['Awa Diop', '—', 'unavailable'],
  ])('%s and %s: %s', (given, found, match) => {
    expect(matchNames(given, found)).toBe(match);
  });

  it.each([
    ['Awa N’Diaye', 'AWA NDIAYE'],
    ["N'Guessan Koffi", 'KOFFI N GUESSAN'],
    ["M'Baye D'Almeida", 'DALMEIDA MBAYE'],
    ["Sean O'Brien", 'OBRIEN SEAN'],
    ['Jean-Paul Sarr', 'SARR JEANPAUL'],
    ['Fatou Binetou Diop', 'FATOUBINETOU DIOP'],
    ['FatouBinetou Diop', 'DIOP FATOU-BINETOU'],
    ["N'Diaye Jean Paul", 'Jean-Paul NDIAYE'],
    ['Awa Diop', 'AWADIOP'],
    ['Ɓah Ŋaari', 'NAARI BAH'],
  ])('%s is %s: what stands within a name is no boundary', (one, other) => {
    expect(matchNames(one, other)).toBe('match');
    expect(matchNames(other, one)).toBe('match');
  });

  it.each([
    ['Ba', 'Sy'],
    ['Ada Ly', 'Ida Sy'],
    ['Moussa Ba', 'Moussa Sy'],
    ['Sy Ba', 'Sy Sy'],
    ['Ada Fall', 'Ida Sall'],
    ['Moussa Sarr', 'Moussa Sall'],
  ])('%s is not %s: slips count in proportion to the length', (one, other) => {
    expect(matchNames(one, other)).toBe('no_match');
    expect(matchNames(other, one)).toBe('no_match');
  });

  it('are not found out by a list of names', () => {
    expect(matchNames('Awa Binta Fatou Moussa Sarr', 'Moussa Sarr')).toBe('no_match');
  });

  const part = fc.stringMatching(/^[a-z]{2,9}$/);
  const name = fc.array(part, { minLength: 1, maxLength: 4 });

  it('match with other boundaries within the parts, another order, capitals and accents', () => {
    fc.assert(
      fc.property(
        name,
        fc.array(fc.constantFrom("'", '’', '-', ' ', ''), { minLength: 8, maxLength: 8 }),
        fc.integer({ min: 1, max: 8 }),
        (parts, marks, at) => {
          const cut = parts.map((one, i) => one.slice(0, at) + marks[i]! + one.slice(at));
          const other = [...parts].reverse().join(' ').toUpperCase().replaceAll('E', 'É');
          expect(matchNames(cut.join(' '), other)).toBe('match');
          expect(matchNames(other, cut.join(' '))).toBe('match');
        },
      ),
    );
  });

  it('of two letters are never taken for one another, whatever stands beside them', () => {
    const short = fc.stringMatching(/^[a-z]{2}$/);
    fc.assert(
      fc.property(name, short, short, (parts, one, other) => {
        fc.pre(one !== other && parts.every((part) => part.length > 2));
        const [a, b] = [[...parts, one].join(' '), [other, ...parts].join(' ')];
        expect(matchNames(a, b)).toBe('no_match');
        expect(matchNames(b, a)).toBe('no_match');
      }),
    );
  });

  it('are masked to what tells that it is somebody else', () => {
    expect(maskName('Moussa Traoré')).toBe('M*** T***');
    expect(maskName('Al Bâ')).toBe('A*** B***');
    expect(shownName('Awa Diop', 'Moussa Traoré')).toEqual({
      name_found: 'M*** T***',
      name_match: 'no_match',
    });
    expect(shownName('Awa Diop', 'Diop Awa').name_found).toBe('Diop Awa');
    expect(shownName(null, 'Awa Diop')).toEqual({ name_found: null, name_match: null });
  });

  it.each([
    ['Awa Moussa Diop', 'close'],
    ['Awa Moussa Fatou Diop', 'no_match'],
    ['Awa, Moussa; Fatou/Diop', 'no_match'],
    ['Diop', 'close'],
  ])('%s, tried on Awa Diop, is %s: a list of names finds nobody', (given, name_match) => {
    expect(shownName(given, 'Awa Diop')).toMatchObject({ name_match, name_found: 'A*** D***' });
  });
});

describe('the operators of a number', () => {
  const all = ['orange_sn', 'free_sn', 'wave_sn', 'wave_ci', 'mtn_bj', 'mtn'];
  it.each([
    ['orange_sn', ['orange_sn', 'wave_sn']],
    ['wave_sn', ['wave_sn']],
    ['mtn_bj', ['mtn_bj']],
    ['mtn', ['mtn']],
  ])('%s by its prefix: %j', (found, possible) => {
    expect(possibleOperators(found, all)).toEqual(possible);
  });
});
