import { expect, test } from 'vitest';
import { isSampled, traceIdOf, traceparentOf } from './traceparent.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test.each([
  ['a newer version', TRACE.replace('00-', '01-')],
  ['no trace', TRACE.replace(/[0-9a-f]{32}/, '0'.repeat(32))],
  ['no span', TRACE.replace(/-[0-9a-f]{16}-/, `-${'0'.repeat(16)}-`)],
  ['capitals', TRACE.toUpperCase()],
  ['more behind it', `${TRACE}-x`],
  ['another line', `${TRACE}\nx: y`],
  ['nothing', ''],
  ['two of them', [TRACE, TRACE]],
])('a traceparent with %s is none', (_, text) => {
  expect(traceparentOf(text)).toBeUndefined();
});

test('a well-formed one is taken as it is, and says whether somebody keeps its trace', () => {
  expect(traceparentOf(TRACE)).toBe(TRACE);
  expect([isSampled(TRACE), isSampled(TRACE.replace(/1$/, '0')), isSampled(TRACE.replace(/01$/, '03'))]).toEqual([
    true,
    false,
    true,
  ]);
  expect([traceIdOf(TRACE), traceIdOf(undefined)]).toEqual(['0af7651916cd43dd8448eb211c80319c', undefined]);
});
