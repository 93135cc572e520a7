import { expect, test } from 'vitest';
import type { CsvMedia } from '#clients/csv/read-row.ts';
import { createCrier } from '#clients/typescript/client.ts';
import { sendRows } from './import-run.ts';
import type { RowOutcome } from './row-outcome.ts';

const REUSED = { status: 422, error: { code: 'idempotency_key_reused', message: 'Use a new key for a new Post.' } };

/** What becomes of rows with these files whose keys, in the file or made of the rows, are those of other Posts. */
async function outcomesOf(
  hasOwnKey: boolean,
  ...files: readonly (readonly CsvMedia[])[]
): Promise<readonly RowOutcome[]> {
  const outcomes: RowOutcome[] = [];
  const post = { text: 'Corrected', channelIds: ['c'], channelOptions: {}, idempotencyKey: 'mine' };
  const rows = files.map((media, index): RowOutcome => ({
    row: index + 2,
    post: { ...post, media },
    hasOwnKey,
    state: 'open',
    postId: null,
    problems: [],
  }));
  const fetch = async () => Response.json({ data: rows.map(() => REUSED) });
  const terminal = {
    out: () => {},
    say: () => {},
    outIsTerminal: false,
    sayIsTerminal: false,
    columns: 80,
    environment: {},
    ask: async () => null,
    input: async () => null,
    interrupted: new AbortController().signal,
  };
  const crier = createCrier({ url: 'https://crier.test', key: 'crier_key', fetch: fetch as typeof globalThis.fetch });
  const bodies = rows.map(() => post);
  const onOutcome = (outcome: RowOutcome): void => void outcomes.push(outcome);
  await sendRows(rows, bodies, { crier, terminal, dryRun: false, onOutcome });
  return outcomes;
}

test('a row that was corrected and has the key of its first writing is refused, and not said to be there', async () => {
  const [bare, ofAddress] = await outcomesOf(true, [], [{ url: 'https://a.test/1.jpg' }]);
  const refused = { state: 'refused', problems: [{ message: 'Use a new key for a new Post.' }] };
  expect([bare, ofAddress]).toMatchObject([refused, refused]);
});

test('a row whose files are uploaded again is there', async () => {
  expect(await outcomesOf(false, [{ path: '1.jpg' }])).toMatchObject([{ state: 'there' }]);
});

test('a row with a key of its own and a file of this machine, which may have been corrected, is refused', async () => {
  const message =
    'Its key was used within the last day. If you changed the row since, give it another key; if not, its Post is there';
  expect(await outcomesOf(true, [{ path: '1.jpg' }])).toMatchObject([{ state: 'refused', problems: [{ message }] }]);
});
