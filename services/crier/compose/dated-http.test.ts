import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { withDates } from './dated-http.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const HOUR_MS = 3_600_000;

async function saidOf(date: string | null, tookMs = 0): Promise<readonly unknown[]> {
  const [clock, reporter] = [createMemoryClock(NOW), createMemoryReporter()];
  const answer = { status: 200, headers: date === null ? {} : { date }, body: 'as it came' };
  const http = withDates({ send: async () => (await clock.advance(tookMs), answer) }, { clock, reporter });
  expect(await http.send({ method: 'GET', url: 'https://graph.example/me?access_token=a', timeoutMs: 1 })).toBe(answer);
  return reporter.of('clock-doubted').map(({ facts }) => facts['detail']);
}

const dated = (offMs: number): string => new Date(NOW + offMs).toUTCString();

test.each<[string, string | null, number]>([
  ['has the same time', dated(0), 0],
  ['is seconds off', dated(-29_000), 0],
  ['took long to answer', dated(50_000), 60_000],
  ['says no Date', null, 0],
  ['says no instant', 'soon', 0],
])('of a Network that %s nothing is said', async (_, date, tookMs) => {
  expect(await saidOf(date, tookMs)).toEqual([]);
});

test('a clock that differs from that of a Network is reported in a sentence, which says what comes of it', async () => {
  expect(await saidOf(dated(-HOUR_MS))).toEqual([
    expect.stringMatching(/^the clock of this machine is 3599 s ahead of that of graph\.example: Posts start .* early/),
  ]);
  expect(await saidOf(dated(HOUR_MS))).toEqual([
    expect.stringMatching(/^the clock of this machine is 3600 s behind that of graph\.example: Posts start .* late/),
  ]);
});
