import { expect, it } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { excerptOf } from './excerpt.ts';

async function* bodyOf(...pieces: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield Buffer.from(piece as string);
}

it.each([
  ['nothing', [], ''],
  ['pieces', ['no ', 'such ', 'order'], 'no such order'],
  ['control characters', ['a\0b\u001b[31mc\r\n\td'], 'a b [31mc d'],
  ['bytes that are no text', [Buffer.from([0xff, 0xfe, 0x41, 0x80])], 'A'],
  ['marks that turn text around', ['abc\u202edef'], 'abc def'],
  ['a webhook secret', ['wrong key whsec_0123456789abcdef given'], 'wrong key ... given'],
  ['an API key of ours', ['{"key":"crier_0123456789abcdef"}'], '{"key":"..."}'],
  ['a header', ['Authorization: Bearer abcdef0123456789'], 'Authorization: ...'],
  ['a field', ['{"password":"hunter2","user":7}'], '{"password":...,"user":7}'],
  ['a parameter', ['token=abc&next=1'], 'token=...&next=1'],
  ['a signature', ['t=1,v1=0123456789abcdef0123456789abcdef'], 't=1,...'],
  ['an e-mail address', ['no user ada@example.test here'], 'no user ... here'],
])('of %s', async (_what, pieces, expected) => {
  expect(await excerptOf(bodyOf(...pieces), createMemoryClock())).toBe(expected);
});

it('of a body without end is its first KB, and the rest is never asked for', async () => {
  let pieces = 0;
  let isLeft = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(300, String(pieces++ % 10));
    } finally {
      isLeft = true;
    }
  }
  const excerpt = await excerptOf(endless(), createMemoryClock());
  expect(excerpt).toBe(`${'0'.repeat(300)}${'1'.repeat(300)}${'2'.repeat(300)}${'3'.repeat(124)}`);
  expect([pieces, isLeft]).toEqual([4, true]);
});

it('of a body that hangs is what came within a second', async () => {
  const clock = createMemoryClock();
  let isLeft = false;
  let first = true;
  const hanging: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        first
          ? ((first = false), Promise.resolve({ done: false, value: Buffer.from('so far') }))
          : new Promise(() => {}),
      return: async () => ((isLeft = true), { done: true, value: undefined }),
    }),
  };
  const excerpt = excerptOf(hanging, clock);
  await clock.advance(1_000);
  expect([await excerpt, isLeft, clock.armed()]).toEqual(['so far', true, 0]);
});

it('of a body that breaks off is what came before', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    throw new Error('reset');
  }
  expect(await excerptOf(broken(), createMemoryClock())).toBe('half');
});
