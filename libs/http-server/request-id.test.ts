import { expect, test } from 'vitest';
import { requestNamesOf } from './request-id.ts';

test.each<[sent: string | string[] | undefined, requestId: string, clientRequestId: string | null]>([
  [undefined, 'own', null],
  ['', 'own', null],
  ['a-B_1.2', 'a-B_1.2', null],
  ['x'.repeat(200), 'x'.repeat(200), null],
  ['x'.repeat(201), 'own', 'x'.repeat(200)],
  ['with space', 'own', 'with space'],
  ['line\nbreak', 'own', 'line\nbreak'],
  ['überall', 'own', 'überall'],
  [['one', 'two'], 'own', 'one, two'],
])('a request that its client calls %j is called %s', (sent, requestId, clientRequestId) => {
  expect(requestNamesOf(sent, 'own')).toEqual({ requestId, clientRequestId });
});
