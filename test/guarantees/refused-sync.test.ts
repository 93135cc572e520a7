import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PostJson } from '#testing/crier-clients.ts';
import { CrierUnderTest, textChannels } from '#testing/crier-process.ts';

/** Of the thread that syncs; a start makes fewer. */
const GOOD_SYNCS = 200;
const MOST_POSTS = 1_000;

/** The disk reports an error at every sync of the write-ahead log after so many, as a dying disk does. */
function refusingSyncs(path: string): readonly string[] {
  return [
    ...['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-P', `${path}-wal`],
    ...['-e', 'trace=fdatasync', '-e', `inject=fdatasync:error=EIO:when=${GOOD_SYNCS}+`],
  ];
}

test('a disk that refuses a sync ends the process with a sentence, and a restart has all that was acknowledged', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'crier-refused-sync-'));
  const dataDir = join(folder, 'data');
  const env = { CRIER_REQUESTS_PER_MINUTE: '0' };
  const acknowledged: PostJson[] = [];
  try {
    {
      await using crier = await CrierUnderTest.start({
        dataDir,
        env,
        through: refusingSyncs(join(dataDir, 'crier.db')),
      });
      const failure = await createUntilRefused(crier, acknowledged);
      expect(acknowledged.length, failure).toBeGreaterThan(5);
      expect(await crier.ended).toEqual({ code: 1, signal: null });
      expect(crier.errorLines().filter((line) => line.startsWith('crier: '))).toEqual([
        expect.stringMatching(/^crier: .*crier\.db-wal could not be synced to the disk: EIO/),
      ]);
    }
    await using again = await CrierUnderTest.start({ dataDir, env });
    const there = await again.api().listPosts({ limit: '500' });
    expect(there.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged.map(({ id }) => id)));
    // The one without an answer may be there.
    expect(there.length).toBeLessThanOrEqual(acknowledged.length + 1);
    expect(new Set(there.flatMap(({ variants }) => variants.map(({ status }) => status)))).toEqual(
      new Set(['scheduled']),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Returns the first answer, or its absence, that was no Post. */
async function createUntilRefused(crier: CrierUnderTest, acknowledged: PostJson[]): Promise<string> {
  const channelIds = textChannels(crier.ready.demo!);
  const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
  for (let count = 1; count <= MOST_POSTS; count++) {
    try {
      acknowledged.push(
        await crier.api().createPost({ text: `before the disk died ${count}`, channelIds, scheduledAt }),
      );
    } catch (error) {
      return String(error);
    }
  }
  throw new Error(`${MOST_POSTS} Posts were created`);
}
