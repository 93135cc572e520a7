import { expect, test } from 'vitest';
import { scriptedNetwork } from '#testing/scripted-network.ts';
import { at, call, textAt } from './call.ts';

async function jsonOf(body: string): Promise<unknown> {
  const network = scriptedNetwork({ status: 200, headers: {}, body });
  const called = await call(network.http, { method: 'GET', url: 'https://n.test', timeoutMs: 1 });
  return called.kind === 'answered' ? called.json : null;
}

test.each([
  ['{"user_id":17841400000000000001}', '17841400000000000001'],
  ['{"user_id":[{"user_id":9007199254740993}]}', [{ user_id: '9007199254740993' }]],
  ['{"user_id":9007199254740991}', 9007199254740991],
  ['{"user_id":"17841400000000000001"}', '17841400000000000001'],
  ['{"user_id":1.5,"at":"1234567890123456"}', 1.5],
  ['{"user_id":1e300,"at":"1234567890123456"}', 1e300],
])('an id is never rounded: %s', async (body, expected) => {
  expect(at(await jsonOf(body), 'user_id')).toEqual(expected);
});

test('an id sent as a number reads as its digits', async () => {
  expect(textAt(await jsonOf('{"id":17841400000000000001}'), 'id')).toBe('17841400000000000001');
  expect(textAt(await jsonOf('{"id":42}'), 'id')).toBe('42');
});

test('half of a pair of UTF-16 is replaced, and a whole pair is kept', async () => {
  expect(textAt(await jsonOf('{"id":"a\\ud800\\uDFFFb"}'), 'id')).toBe('a\u{103ff}b');
  const id = textAt(await jsonOf('{"id":"a\\ud800b\\uDFFF"}'), 'id')!;
  expect(id).toBe('a\ufffdb\ufffd');
  expect(encodeURIComponent(id)).toBe('a%EF%BF%BDb%EF%BF%BD');
});

test.each(['', '<html>', '{"id":'])('what is no JSON is none: %j', async (body) => {
  expect(await jsonOf(body)).toBeNull();
});
