import { expect, test } from 'vitest';
import { CassandraClient } from './client.ts';
import { CqlNodes, type Fate } from './cql-nodes.fixture.ts';

const DEADLINE_MS = 1_500;

async function writeWith(...fates: readonly Fate[]): Promise<string> {
  await using nodes = await CqlNodes.start(fates);
  const client = new CassandraClient({ ...nodes.connection, deadlineMs: DEADLINE_MS });
  const outcome = await client.write([{ query: 'UPDATE anything', params: [] }]).then(
    () => 'done',
    (error: { readonly kind: string }) => error.kind,
  );
  await client.close();
  return outcome;
}

test.each<[string, string, readonly Fate[]]>([
  ['is done', 'done', ['done']],
  ['is done by the second node when the first does not answer', 'done', ['silence', 'done']],
  ['was not made when both nodes lack replicas', 'unavailable', ['too_few_replicas', 'too_few_replicas']],
  ['may have been made by a node that did not answer', 'unknown', ['silence', 'too_few_replicas']],
])('a write %s', async (_, outcome, fates) => {
  expect(await writeWith(...fates)).toBe(outcome);
});
