import { expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type ScriptedStep } from '#testing/scripted-network.ts';
import { createYouTubeChoices } from './choices.ts';
import { endpoints, nothing, NOW, refusal } from './youtube.fixture.ts';

const choices = createYouTubeChoices(endpoints);
const item = (id: string, title: string, more: object = {}) => ({ id, snippet: { title, ...more } });
const list = (items: readonly object[], more: object = {}) => jsonAnswer(200, { items, ...more });

async function read(...script: readonly ScriptedStep[]) {
  const network = scriptedNetwork(...script);
  const account = { accessToken: 'ya29.secret', accountId: 'UC7', username: 'ada', accountFacts: {} };
  const answer = await choices.read({ http: network.http, ...account, now: NOW });
  return { answer, asked: network.asked.map(({ url }) => new URL(url)) };
}

test("the channel's playlists, page by page, and the categories of its country that a video may have", async () => {
  const { answer, asked } = await read(
    list([item('PL1', 'Cats')], { nextPageToken: 'n1' }),
    list([item('PL2', 'Dogs')]),
    list([item('UC7', 'Ada', { country: 'DE' })]),
    list([item('10', 'Musik', { assignable: true }), item('18', 'Kurzfilme', { assignable: false })]),
  );
  expect(answer).toMatchObject({
    kind: 'ok',
    choices: {
      playlists: [
        { id: 'PL1', title: 'Cats' },
        { id: 'PL2', title: 'Dogs' },
      ],
      categories: [{ id: '10', title: 'Musik' }],
    },
  });
  expect(asked[0]?.searchParams.get('mine')).toBe('true');
  expect(asked[1]?.searchParams.get('pageToken')).toBe('n1');
  expect(asked[3]?.searchParams.get('regionCode')).toBe('DE');
});

test('a channel without playlists and country gets the categories of the US', async () => {
  const { answer, asked } = await read(list([]), list([item('UC7', 'Ada')]), list([]));
  expect(answer).toMatchObject({ kind: 'ok', choices: { playlists: [], categories: [] } });
  expect(asked[2]?.searchParams.get('regionCode')).toBe('US');
});

test('playlists without an end are read four pages far', async () => {
  const page = list([item('PL1', 'Cats')], { nextPageToken: 'n' });
  const { answer } = await read(page, page, page, page, list([item('UC7', 'Ada')]), list([]));
  expect(answer.kind).toBe('ok');
});

test.each<[string, readonly ScriptedStep[], object]>([
  ['a dead token', [refusal(401, 'authError')], { kind: 'refused', summary: { status: 401 } }],
  [
    'a missing scope',
    [list([]), refusal(403, 'insufficientPermissions')],
    { kind: 'refused', summary: { status: 403 } },
  ],
  ['a spent quota', [refusal(403, 'quotaExceeded')], { kind: 'unavailable' }],
  ['trouble', [list([]), list([]), nothing(503)], { kind: 'unavailable' }],
  ['a lost answer', [{ cut: 'after' }], { kind: 'unavailable' }],
])('reading meets %s', async (_name, script, expected) => {
  const { answer } = await read(...script);
  expect(answer).toMatchObject(expected);
  expect(JSON.stringify(answer)).not.toContain('ya29');
});
