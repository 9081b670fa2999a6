// Names that are found in a list, and names that are not; lists that are loaded as a whole or not at all.

import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { changeSetting } from '../../db/operators/settings';
import { dropLists, listLists } from '../../db/risk/lists';
import { storeList, type ReadList } from '../../use-cases/screening/read-list';
import { createTestDatabase, setUp } from '../support/database';
import { createScreeningVoice } from '../../use-cases/screening/screen';
import type { AskedOrder } from '../../domain/risk';
import { closeAfterFile } from '../support/cleanup';
import { loadList, readLines, removeLists, screen, screeningBy } from '../support/screening';

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

/** A word of its own for each number, no slip of another. */
const letters = (n: number): string =>
  Array.from(String(n).padStart(4, '0'), (digit) => 'bcdfghjklm'[Number(digit)]!.repeat(2)).join(
    'a',
  );

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

  it('finds a name among thousands that have the same words and more', async () => {
    const lines = Array.from(
      { length: 2_000 },
      (_, n) => `x${n},Mohamed Ba Hassan ${letters(n)},,,,`,
    );
    await loadList(database.operator, 'own', ...lines, '1,Mohamed Hassan,,,,');
    expect(await found('Hassan Mohamad')).toEqual(['1']);
    expect(await found(`Hassan ${letters(1_500)} Ba Mohamad`)).toEqual(['x1500']);
    await removeLists(database.operator);
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
    while (await dropLists(database.db, 10_000));
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

describe('the voice of a payout', () => {
  const payout = {
    id: 'PYT-1',
    type: 'payout',
    environment: 'live',
    user_id: '00000000-0000-0000-0000-000000000000',
    currency: 'XOF',
    amount_minor: '100',
    recipient: { phone: '+221770000000', operator: 'wave_sn', name: 'Ousmane Coulibaly' },
    ip: null,
    batch_id: null,
  } as const;
  const hear = (order: AskedOrder = payout) =>
    createScreeningVoice(screeningBy(database.db))(order);
  let answer: (response: ServerResponse) => void;
  const asked: string[] = [];
  const set = async (mode: 'local' | 'off' | 'url', on_silence: 'allow' | 'hold' = 'hold') => {
    const { port } = server.address() as AddressInfo;
    const service = {
      url: `http://127.0.0.1:${port}/v2/search`,
      minimum: 0.9,
      deadline_ms: 200,
      on_silence,
    };
    const given = mode === 'url' ? { mode, ...service } : { mode };
    await changeSetting(database.operator, 'risk.screening', given, 'olivia');
  };
  const server = createServer((request, response) => {
    asked.push(request.url!);
    answer(response);
  });

  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
    closeAfterFile(() => {
      server.close();
      server.closeAllConnections();
    });
  });
  afterEach(async () => {
    await set('local');
    await removeLists(database.operator);
  });

  it('holds one whose recipient is found, and says what it is like', async () => {
    expect(await hear()).toBeUndefined();
    await loadList(database.operator, 'un', ...LINES);
    expect(await hear()).toMatchObject({
      reasons: [
        {
          source: 'screening',
          name: 'un/2',
          detail: 'Ousmane Coulibaly (1.00; individual, ML)',
          decision: 'hold',
        },
      ],
      asked: { screening: { sent: { name: 'Ousmane Coulibaly' }, outcome: 'hold' } },
    });
    const other = { ...payout, recipient: { ...payout.recipient, name: 'Awa Diop' } };
    expect(await hear(other)).toMatchObject({ reasons: [] });
    expect(
      await hear({ ...payout, type: 'transfer', recipient: { username: 'ben' } }),
    ).toBeUndefined();
    await set('off');
    expect(await hear()).toBeUndefined();
  });

  it('asks a service as it is set, which names what it has found', async () => {
    await set('url');
    const entity = { name: 'O. COULIBALY', sourceList: 'us_ofac', sourceID: '12', match: 0.93 };
    const weak = { ...entity, sourceID: '13', match: 0.89 };
    answer = (response) => response.end(JSON.stringify({ entities: [weak, entity] }));
    expect(await hear()).toMatchObject({
      reasons: [{ source: 'screening', name: 'us_ofac/12', detail: 'O. COULIBALY (0.93)' }],
    });
    expect(asked.at(-1)).toBe('/v2/search?name=Ousmane+Coulibaly&minMatch=0.9&limit=5');
  });

  it.each([
    ['an answer that is late', () => undefined],
    ['one that is no list', (response: ServerResponse) => response.end('{}')],
    [
      'an entity without an id',
      (response: ServerResponse) => response.end('{"entities":[{"name":"A"}]}'),
    ],
    ['an error', (response: ServerResponse) => response.writeHead(500).end('{"entities":[]}')],
  ])('takes %s as silence', async (_, answering) => {
    answer = answering;
    await set('url', 'hold');
    expect(await hear()).toMatchObject({ reasons: [{ source: 'silence', name: 'screening' }] });
    await set('url', 'allow');
    expect(await hear()).toMatchObject({ reasons: [], asked: { screening: { answered: null } } });
  });
});
