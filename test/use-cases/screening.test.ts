// Names that are found in a list, and names that are not; lists that are loaded as a whole or not at all.

import { changeSetting } from '../../db/operators/settings';
import { dropLists, listLists } from '../../db/risk/lists';
import { storeList, type ReadList } from '../../use-cases/screening/read-list';
import { createTestDatabase, setUp } from '../support/database';
import { loadList, readLines, removeLists, screen } from '../support/screening';

const database = setUp(createTestDatabase);
const LINES = [
  `1,Aïcha N'Diaye-Sarr,Tata Aïcha;El Hadja Sarr,individual,1957-03-10,SN`,
  `2,Ousmane Coulibaly,Abou Bakr el-Mali,individual,,ML`,
  '3,Jean-Paul Kouassi Konan,,individual,,CI',
  '4,Mohamed Salah Traoré,,individual,,',
  '5,Hezbollah,,entity,,LB',
  '6,Ali Sow,,individual,,',
  '7,Abdelkader Sissoko,,individual,,',
];

describe('a name of a list', () => {
  beforeAll(() => loadList(database.operator, 'un', ...LINES));
  afterAll(() => removeLists(database.operator));

  it.each([
    ['capitals', 'OUSMANE COULIBALY', '2'],
    ['accents', 'Mohamed Salah Traore', '4'],
    ['accents that the list has not', 'Oûsmané Coulibaly', '2'],
    ['hyphens', 'Jean Paul Kouassi-Konan', '3'],
    ['a name written as one', 'Jeanpaul Kouassi Konan', '3'],
    ['a name written as two', 'Abdel Kader Sissoko', '7'],
    ['another name written as two, and a slip', 'Abdel Kader Sisoko', '7'],
    ['an apostrophe', 'Aicha NDiaye Sarr', '1'],
    ['another apostrophe', 'Aicha N’Diaye Sarr', '1'],
    ['another order of the words', 'Coulibaly Ousmane', '2'],
    ['another order of three', 'Traoré Mohamed Salah', '4'],
    ['an alias', 'el hadja sarr', '1'],
    ['another alias', 'Abou Bakr El Mali', '2'],
    ['a wrong letter', 'Ousmane Coulibali', '2'],
    ['a missing letter', 'Ousmane Coulibay', '2'],
    ['an added letter', 'Ousmanne Coulibaly', '2'],
    ['a wrong letter in each word', 'Ousmene Culibaly', '2'],
    ['a word left out of three', 'Mohamed Traoré', '4'],
    ['a firm of one word', 'HEZBOLLAH', '5'],
    ['a firm of one word with a slip', 'Hezbolah', '5'],
  ])('is found with %s', async (_, name, id) => {
    expect(await screen(database.db, name)).toMatchObject([{ list: 'un', id }]);
  });

  it.each([
    ['a first name alone', 'Ousmane'],
    ['a family name alone', 'Coulibaly'],
    ['another person with one word in common', 'Ousmane Diallo'],
    ['another person of the family', 'Fatou Coulibaly'],
    ['another person with a word of three', 'Mohamed Sarr'],
    ['two words of another with five', 'Mohamed Ali Ben Salah Diop'],
    ['two people, each with one word', 'Ousmane Traoré'],
    ['two letters in one word', 'Ousmane Colibali'],
    ['a wrong letter in a short word', 'Ali Sy'],
    ['a wrong letter in a word of four', 'Aly Sow'],
    ['a firm’s word among others', 'Hezbollah Street Bakery'],
    ['no letters', '!!'],
  ])('is not found by %s', async (_, name) => {
    expect(await screen(database.db, name)).toEqual([]);
  });

  it('is called as its entry, with the likest of its names', async () => {
    expect(await screen(database.db, 'Tata Aicha')).toEqual([
      {
        list: 'un',
        id: '1',
        name: `Aïcha N'Diaye-Sarr`,
        score: 1,
        facts: 'individual, 1957-03-10, SN',
      },
    ]);
    expect((await screen(database.db, 'Ousmane Coulibali'))[0]!.score).toBe(0.95);
  });
});

describe('a list', () => {
  const found = async (name: string) => (await screen(database.db, name)).map(({ id }) => id);

  it('is replaced in one step', async () => {
    await loadList(database.operator, 'own', '1,Awa Diop,,,,', '2,Ben Fall,,,,');
    expect(await found('Awa Diop')).toEqual(['1']);
    const read = readLines('9,Awa Diop,,,,') as Extract<ReadList, { ok: true }>;
    await storeList(database.operator, 'own', read);
    // It is read in, and the one before holds.
    expect([await found('Awa Diop'), await found('Ben Fall')]).toEqual([['1'], ['2']]);
    const given = { list: 'own', version: read.version };
    expect(await changeSetting(database.operator, 'risk.load', given, 'olivia')).toMatchObject({
      changed: true,
    });
    expect([await found('Awa Diop'), await found('Ben Fall')]).toEqual([['9'], []]);
    expect(await changeSetting(database.operator, 'risk.load', given, 'olivia')).toMatchObject({
      changed: false,
    });
    while (await dropLists(database.db, 2));
    expect((await database.owner.raw('select * from risk_lists')).rows).toMatchObject([
      { list: 'own', state: 'current', entries: 1 },
    ]);
    expect(await found('Awa Diop')).toEqual(['9']);
    await removeLists(database.operator);
    expect([await found('Awa Diop'), await listLists(database.db)]).toEqual([[], []]);
  });

  it('that was not read to its end is not put into force, and is dropped', async () => {
    const { operator, owner } = database;
    const { version } = readLines('1,Awa Diop,,,,') as Extract<ReadList, { ok: true }>;
    await owner.raw(
      `insert into risk_lists (list, version, entries, state, began_at)
       values ('own', ?, 1, 'reading', now() - interval '2 hours')`,
      [version],
    );
    const given = { list: 'own', version };
    expect(await changeSetting(operator, 'risk.load', given, 'olivia')).toMatchObject({
      refusal: 'version_not_found',
    });
    while (await dropLists(database.db, 100));
    const { rows } = await owner.raw(`select state from risk_lists where version = ?`, [version]);
    expect(rows).toEqual([]);
  });

  it.each([
    ['id', 2, [',Awa Diop,,,,']],
    ['name', 3, ['1,Awa Diop,,,,', '2,--,,,,']],
    ['alias', 2, ['1,Awa Diop,a;..,,,']],
    ['repeated', 4, ['1,Awa Diop,,,,', '2,Ben Fall,,,,', '1,Cire Ba,,,,']],
    ['columns', 2, ['1,Awa Diop']],
    ['syntax', 2, ['1,"Awa Diop,,,,']],
    ['encoding', 2, ['1,Awa \ufffd,,,,']],
    ['empty', 1, []],
  ])('with a fault (%s) names the line', (fault, line, lines) => {
    expect(readLines(...lines)).toEqual({ ok: false, fault, line });
  });
});
