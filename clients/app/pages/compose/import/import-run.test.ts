import { expect, test } from 'vitest';
import type { CsvPost } from '#clients/csv/read-row.ts';
import { runImport, type BulkAnswer, type ImportRunOptions, type RowState } from './import-run.ts';

const post = (text: string): CsvPost => ({
  text,
  channelIds: ['c'],
  media: [],
  channelOptions: {},
  idempotencyKey: text,
});
const rows = (count: number, text = 'p') =>
  Array.from({ length: count }, (_, index) => ({ row: index + 2, post: post(`${text}${index}`) }));

const made = (id: string, status = 'scheduled') => ({ id, variants: [{ status }, { status: 'cancelled' }] });

function rig(change: Partial<ImportRunOptions> = {}) {
  const states = new Map<number, RowState>();
  const sent: number[] = [];
  const waits: (number | null)[] = [];
  const run = () =>
    runImport({
      rows: rows(3),
      isDryRun: false,
      findPresent: async () => ({ idOf: () => null, wasCancelled: () => false }),
      send: async (posts) => {
        sent.push(posts.length);
        return posts.map(({ text }): BulkAnswer => ({ status: 201, post: made(text) }));
      },
      retryOf: (error) => (error instanceof RangeError ? { afterSeconds: 7 } : null),
      wait: async (seconds) => void waits.push(seconds),
      onState: (row, state) => states.set(row, state),
      onPause: () => {},
      signal: new AbortController().signal,
      ...change,
    });
  return { run, states, sent, waits };
}

test('rows are sent in order, at most a hundred at once, and no request grows too large', async () => {
  const many = rig({ rows: rows(250) });
  await many.run();
  expect([many.sent, many.states.size]).toEqual([[100, 100, 50], 250]);
  expect(many.states.get(251)).toEqual({ kind: 'created', postId: 'p249', wasThere: false });
  const long = rig({ rows: rows(5, 'x'.repeat(100_000)) });
  await long.run();
  expect(long.sent).toEqual([1, 1, 1, 1, 1]);
});

test('a row whose Post is there, however long ago it was made, is not asked about and not created again', async () => {
  let isLost = true;
  const { run, sent, states } = rig({
    isDryRun: true,
    findPresent: async (posts) => {
      expect(posts.map(({ text }) => text)).toEqual(['p0', 'p1', 'p2']);
      if (isLost) {
        isLost = false;
        throw new RangeError('too many');
      }
      return { idOf: ({ text }) => (text === 'p1' ? 'of last week' : null), wasCancelled: () => false };
    },
  });
  await run();
  expect(states.get(3)).toEqual({ kind: 'created', postId: 'of last week', wasThere: true });
  expect(sent).toEqual([2]);
});

test('a row whose Post was moved or cancelled, however long ago it was made, is refused before anything is sent', async () => {
  const { run, sent, states } = rig({
    isDryRun: true,
    findPresent: async () => ({ idOf: () => null, wasCancelled: ({ text }) => text !== 'p1' }),
  });
  await run();
  const words =
    'It was created before, and moved, edited or cancelled since. To create it again, change its text or its time.';
  const refused = { kind: 'refused', messages: [words] };
  expect([states.get(2), states.get(4)]).toEqual([refused, refused]);
  expect(sent).toEqual([1]);
});

test('where requests are limited, or an answer was lost, the same rows are sent again after the wait', async () => {
  const parts: string[] = [];
  let isLimited = true;
  const { run, waits, states } = rig({
    send: async (posts) => {
      parts.push(posts.map(({ text }) => text).join());
      if (isLimited) {
        isLimited = false;
        throw new RangeError('too many');
      }
      return posts.map(() => ({ status: 201, post: made('a'), replayed: true }) as const);
    },
  });
  await run();
  expect([parts, waits]).toEqual([['p0,p1,p2', 'p0,p1,p2'], [7]]);
  expect(states.get(2)).toEqual({ kind: 'created', postId: 'a', wasThere: true });
});

test('rows that are limited, or whose outcome is not known, are sent again by themselves', async () => {
  const told: (readonly [number, string])[] = [];
  const parts: string[] = [];
  const { run, waits } = rig({
    onState: (row, { kind }) => void told.push([row, kind]),
    send: async (posts) => {
      parts.push(posts.map(({ text }) => text).join());
      const codes = parts.length === 1 ? [null, 'rate_limited', 'outcome_unknown'] : posts.map(() => null);
      return codes.map((code) =>
        code === null ? { status: 201, post: made('a') } : { status: 503, error: { code, message: 'later' } },
      );
    },
  });
  await run();
  expect([parts, waits]).toEqual([['p0,p1,p2', 'p1,p2'], [null]]);
  expect(told).toEqual([
    [2, 'created'],
    [3, 'created'],
    [4, 'created'],
  ]);
});

test('a row that is limited however often it is sent is refused in the end, with the words of the server', async () => {
  const error = { code: 'rate_limited', message: 'This Post names 900 addresses' };
  const { run, waits, states } = rig({ rows: rows(1), send: async () => [{ status: 429, error }] });
  await run();
  expect([waits.length, states.get(2)]).toEqual([7, { kind: 'refused', messages: [error.message] }]);
});

test('a row whose Post was cancelled since is refused, and not said to be there', async () => {
  const { run, states } = rig({
    send: async () => [
      { status: 201, post: made('gone', 'cancelled'), replayed: true },
      { status: 201, post: made('there'), replayed: true },
      { status: 201, post: made('new') },
    ],
  });
  await run();
  expect([...states.values()]).toEqual([
    { kind: 'refused', messages: [expect.stringContaining('cancelled since')] },
    { kind: 'created', postId: 'there', wasThere: true },
    { kind: 'created', postId: 'new', wasThere: false },
  ]);
});

test('every blocker of a row is reported, and the other rows go on', async () => {
  const { run, states } = rig({
    isDryRun: true,
    send: async () => [
      { status: 200, post: null },
      {
        status: 422,
        error: {
          code: 'post_refused',
          message: 'refused',
          blockers: [{ message: 'too long' }, { message: 'no file' }],
        },
      },
      { status: 400, error: { code: 'invalid_request', message: 'text must be a string.' } },
    ],
  });
  await run();
  expect([...states.values()]).toEqual([
    { kind: 'good' },
    { kind: 'refused', messages: ['too long', 'no file'] },
    { kind: 'refused', messages: ['text must be a string.'] },
  ]);
});

test('a run that was stopped sends no further part', async () => {
  const abort = new AbortController();
  const { run, sent } = rig({ rows: rows(250), onState: () => abort.abort(), signal: abort.signal });
  await expect(run()).rejects.toThrow();
  expect(sent).toEqual([100]);
});
