import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import type { AccountAccess, ChoicesAnswer } from '#networks/contract/adapter.ts';
import { createAccountChoices } from './account-choices.ts';
import type { TokensAnswer } from './connections.ts';

const FRESH_FOR_MS = 600_000;
const TOKENS: Extract<TokensAnswer, { kind: 'ok' }> = {
  kind: 'ok',
  accessToken: 'first',
  username: 'ada',
  accountId: 'a1',
  facts: {},
  issuedAt: 0,
};
const ok = (nickname: string): ChoicesAnswer => ({
  kind: 'ok',
  choices: { nickname },
  summary: { status: 200, detail: '' },
});
const refused = (kind: 'refused' | 'unavailable', status: number): ChoicesAnswer => ({
  kind,
  summary: { status, detail: 'No.' },
});

function choicesOver(answers: readonly ChoicesAnswer[], fresh: TokensAnswer = { ...TOKENS, accessToken: 'second' }) {
  const clock = createMemoryClock(0);
  const asked: AccountAccess[] = [];
  const read = createAccountChoices({
    choices: {
      tiktok: {
        network: 'tiktok',
        freshForMs: FRESH_FOR_MS,
        read: async (access) => {
          asked.push(access);
          return answers[asked.length - 1] ?? answers.at(-1)!;
        },
      },
    },
    connections: { tokensFor: async () => TOKENS, refreshNow: async () => fresh },
    http: {
      send: async () => {
        throw new Error('the Network is asked by its own choices alone');
      },
    },
    clock,
  });
  return { read: (id = 'c1') => read({ id, network: 'tiktok' }), clock, asked };
}

test('a Network is asked once for all who want to know at the same time, and again when its answer is old', async () => {
  const { read, clock, asked } = choicesOver([ok('Ada'), ok('Countess')]);
  const ada = { kind: 'ok', choices: { nickname: 'Ada' } };
  expect(await Promise.all([read(), read()])).toEqual([ada, ada]);
  await clock.advance(FRESH_FOR_MS - 1);
  expect(await read()).toEqual(ada);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  expect(await read()).toEqual({ kind: 'ok', choices: { nickname: 'Countess' } });
});

test('each Channel has an answer of its own', async () => {
  const { read, asked } = choicesOver([ok('Ada'), ok('Grace')]);
  expect([await read('c1'), await read('c2')]).toMatchObject([
    { choices: { nickname: 'Ada' } },
    { choices: { nickname: 'Grace' } },
  ]);
  expect(asked).toHaveLength(2);
});

test.each<[string, ChoicesAnswer, object]>([
  ['a Network in trouble', refused('unavailable', 500), { kind: 'unavailable', detail: 'No.' }],
  ['a missing permission', refused('refused', 403), { kind: 'needs_reconnect', detail: 'No.' }],
])('%s is asked again soon, but not by every request', async (_name, answer, expected) => {
  const { read, clock, asked } = choicesOver([answer, ok('Ada')]);
  expect([await read(), await read()]).toEqual([expected, expected]);
  expect(asked).toHaveLength(1);
  await clock.advance(5_000);
  expect(await read()).toMatchObject({ kind: 'ok' });
});

test('a token that the Network refuses is refreshed, once', async () => {
  const { read, asked } = choicesOver([refused('refused', 401), ok('Ada')]);
  expect(await read()).toMatchObject({ kind: 'ok' });
  expect(asked.map(({ accessToken }) => accessToken)).toEqual(['first', 'second']);
  const dead = choicesOver([refused('refused', 401)]);
  expect(await dead.read()).toMatchObject({ kind: 'needs_reconnect' });
  expect(dead.asked).toHaveLength(2);
});

test('a Network whose accounts do not differ is not asked', async () => {
  const { asked } = choicesOver([ok('Ada')]);
  const read = createAccountChoices({
    choices: {},
    connections: {
      tokensFor: async () => Promise.reject(new Error('no token is needed')),
      refreshNow: async () => TOKENS,
    },
    http: { send: async () => Promise.reject(new Error('no call is made')) },
    clock: createMemoryClock(0),
  });
  expect(await read({ id: 'c1', network: 'x' })).toEqual({ kind: 'ok', choices: {} });
  expect(asked).toHaveLength(0);
});
