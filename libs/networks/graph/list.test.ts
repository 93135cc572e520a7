import { expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { readGraphList } from './list.ts';

const URL_OF_LIST = 'https://graph.test/v25.0/77/feed?fields=id&limit=100';

async function read(...pages: readonly Scripted[]) {
  const { http, asked } = scriptedNetwork(...pages);
  const list = await readGraphList({ http, accessToken: 'token-1' }, URL_OF_LIST, () => false);
  return { list, asked: asked.map(({ url }) => url) };
}

const page = (ids: readonly string[], paging: object = {}) =>
  jsonAnswer(200, { data: ids.map((id) => ({ id })), paging });
const ids = (...all: readonly string[]) => all.map((id) => ({ id }));

test('a list goes on behind its cursor while there is a next page', async () => {
  const { list, asked } = await read(
    page(['3', '2'], { cursors: { after: 'c2' }, next: 'https://graph.test/elsewhere?after=c2' }),
    page(['1'], { cursors: { after: 'c1' } }),
  );
  expect(list).toMatchObject({ entries: ids('3', '2', '1'), isWhole: true });
  expect(asked).toEqual([URL_OF_LIST, `${URL_OF_LIST}&after=c2`]);
});

test('a list that goes on by time is read to its end, without a token in the address', async () => {
  const next = 'https://graph.test/v25.0/77/feed?fields=id&limit=100&until=1790000000&access_token=t';
  const { list, asked } = await read(page(['3', '2'], { next, previous: 'https://graph.test/p' }), page(['1']));
  expect(list).toMatchObject({ entries: ids('3', '2', '1'), isWhole: true });
  expect(asked[1]).toBe(`${URL_OF_LIST}&until=1790000000`);
});

test('a list whose rest can not be asked for is not whole', async () => {
  const { list } = await read(page(['3', '2'], { next: 'further on' }));
  expect(list).toMatchObject({ entries: ids('3', '2'), isWhole: false });
});
