import { maskName, matchNames, shownName } from '../../domain/payout';

describe('names', () => {
  it.each([
    ['Awa Diop', 'Awa Diop', 'match'],
    ['awa  DIOP', 'Diop, Awa', 'match'],
    ['Ndèye Fatou Sow', 'Ndeye Fatou Sow', 'match'],
    ['Awa Diop', 'Awa Ndiaye Diop', 'close'],
    ['Awa Diop', 'Ava Diop', 'close'],
    ['Awa Diop', 'Moussa Traoré', 'no_match'],
    ['Awa Diop', 'Awa Diallo', 'no_match'],
    ['Awa Diop', null, 'unavailable'],
    ['Awa Diop', '—', 'unavailable'],
  ])('%s and %s: %s', (given, found, match) => {
    expect(matchNames(given, found)).toBe(match);
  });

  it('are masked to what tells that it is somebody else', () => {
    expect(maskName('Moussa Traoré')).toBe('M***** T*****');
    expect(shownName('Awa Diop', 'Moussa Traoré')).toEqual({
      name_found: 'M***** T*****',
      name_match: 'no_match',
    });
    expect(shownName('Awa Diop', 'Diop Awa').name_found).toBe('Diop Awa');
    expect(shownName(null, 'Awa Diop')).toEqual({ name_found: null, name_match: null });
  });
});
