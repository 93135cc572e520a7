import { expect, test } from 'vitest';
import { pauseOf, regainAccessMs } from './usage.ts';

const app = (percent: object) => ({
  'x-app-usage': JSON.stringify({ call_count: 1, total_time: 1, total_cputime: 1, ...percent }),
});
const account = (...uses: object[]) => ({
  'x-business-use-case-usage': JSON.stringify({ 77: uses.map((use) => ({ type: 'pages', call_count: 1, ...use })) }),
});

test.each<[string, Record<string, string>, object | undefined]>([
  ['nothing said', {}, undefined],
  ['little used', { ...app({ call_count: 94 }), ...account({ total_time: 94 }) }, undefined],
  ['calls of our app', app({ call_count: 95 }), { scope: 'app', forMs: 300_000 }],
  ['time of our app', app({ total_time: 100 }), { scope: 'app', forMs: 300_000 }],
  ['processor time of our app', app({ total_cputime: 95.5 }), { scope: 'app', forMs: 300_000 }],
  ['calls of the account', account({}, { call_count: 95 }), { scope: 'account', forMs: 300_000 }],
  [
    'an account that is throttled',
    account({ call_count: 100, estimated_time_to_regain_access: 7 }, { estimated_time_to_regain_access: 3 }),
    { scope: 'account', forMs: 420_000 },
  ],
  ['both', { ...app({ call_count: 99 }), ...account({ call_count: 99 }) }, { scope: 'app', forMs: 300_000 }],
  ['what is no JSON', { 'x-app-usage': '{broken', 'x-business-use-case-usage': '[]' }, undefined],
  ['what is no list', { 'x-business-use-case-usage': '{"77":{"call_count":99}}' }, undefined],
])('calls pause by %s', (_name, headers, pause) => {
  expect(pauseOf(headers)).toEqual(pause);
});

test.each<[Record<string, string>, number | null]>([
  [account({ estimated_time_to_regain_access: 7 }), 420_000],
  [account({ estimated_time_to_regain_access: 1_893_456_000 }), 86_400_000],
  [{ 'retry-after': '30' }, 30_000],
  [{ 'retry-after': 'soon' }, null],
  [account({ estimated_time_to_regain_access: 0 }), null],
])('the time to regain access: %j', (headers, expected) => {
  expect(regainAccessMs(headers)).toBe(expected);
});
