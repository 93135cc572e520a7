import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { renditionBlob } from '#domain/media/blob-names.ts';
import { ASSETS, INSTALLATION, RENDITIONS } from '#tables/declarations/tables.ts';
import { RELEASE } from '#tables/release.ts';
import { announceProcess } from '#tables/repositories/announced-processes.ts';
import { SCHEMA_VERSION, writeInstallation } from '#tables/repositories/installation.ts';
import { holdScope } from '#tables/repositories/publishing-holds.ts';
import { markRestored, releaseRestored } from '#tables/repositories/restored.ts';
import { encodeBody } from '#tables/rows/body.ts';
import { replacing } from '#tables/rows/replace-row.ts';
import { makeInstallation, MISSING_FILE } from '../backup/installation.fixture.ts';
import { readPrivate, type Secrets } from '../engines/secrets.ts';
import { clockFindings, clusterFindings, embeddedFindings, unservedFindings } from './installation.ts';

const HOUR_MS = 3_600_000;

test('embedded: a file that a row names and the folder lacks is reported, and a clock that is behind what was written', async () => {
  using installation = await makeInstallation();
  const clock = createSystemClock();
  const { dataDir } = installation;
  const config = installation.config();
  expect(await embeddedFindings({ ...config, dataDir: join(dataDir, 'nowhere') }, clock)).toEqual([]);
  const missing = expect.stringMatching(
    new RegExp(`^2 files are named by rows, and 1 are missing in \\S+blobs \\(${MISSING_FILE}\\): put them back`),
  );
  expect(await embeddedFindings(config, clock)).toEqual([
    { check: 'stored files', ok: false, detail: missing },
    { check: 'clock', ok: true, detail: 'not behind what was written' },
  ]);
  const engine = await installation.open();
  await engine.blobs.put(MISSING_FILE, Readable.from([Buffer.from('it is back')]), { maxBytes: 100 });
  await markRestored(engine.store, { backupAt: Date.now() - HOUR_MS, restoredAt: Date.now() });
  await engine.close();
  const ahead = (Date.now() + HOUR_MS) / 1000;
  utimesSync(join(dataDir, 'crier.db'), ahead, ahead);
  const held =
    /^everything is held: it was restored from a backup of .*publishing\.release '\{"restored":\{"overdue":"ask"\}\}'$/;
  expect(await embeddedFindings(config, clock)).toEqual([
    { check: 'publishing', ok: true, detail: expect.stringMatching(held) },
    { check: 'stored files', ok: true, detail: expect.stringContaining('none is missing') },
    { check: 'clock', ok: false, detail: expect.stringMatching(/clock is 3[56]\d\d s behind .*set it by NTP/) },
  ]);
});

test('embedded: a secret that a start would refuse is reported while nothing runs', async () => {
  using installation = await makeInstallation();
  const { dataDir } = installation;
  const found = async (settings: Readonly<Record<string, string>> = {}) =>
    (await embeddedFindings(installation.config(settings), createSystemClock())).filter(
      ({ check }) => check === 'secret',
    );
  const { secret } = readPrivate<Secrets>(join(dataDir, 'secrets.json'))!;
  const other = { CRIER_SECRET: 'another-master-secret-of-tests-only' };
  const refused = {
    ...{ check: 'secret', ok: false },
    detail: expect.stringMatching(/^CRIER_SECRET is not the secret of this installation .*CRIER_PREVIOUS_SECRETS$/),
  };
  expect(await found()).toEqual([]);
  expect(await found({ CRIER_SECRET: secret })).toEqual([]);
  expect(await found(other)).toEqual([refused]);
  expect(await found({ ...other, CRIER_PREVIOUS_SECRETS: secret })).toEqual([]);
  // A start would make another one.
  rmSync(join(dataDir, 'secrets.json'));
  expect(await found()).toEqual([refused]);
});

test('embedded: data that a start would refuse, as a newer release wrote it, is reported while nothing runs', async () => {
  for (const [key, value, words] of [
    ['schema', { schema: SCHEMA_VERSION + 2 }, `the data has schema version ${SCHEMA_VERSION + 2}, and this release`],
    ['format', { format: RELEASE.format + 1_000, release: '9.0.0' }, 'by release 9.0.0, and this release reads up to'],
  ] as const) {
    using installation = await makeInstallation();
    const engine = await installation.open();
    const [row] = await engine.store.slice(INSTALLATION, [key], { limit: 1 });
    await writeInstallation(engine.store, [key], { over: row?.version ?? null, value, token: 'newer' });
    await engine.close();
    await expect(embeddedFindings(installation.config(), createSystemClock())).rejects.toThrow(words);
    await expect(installation.open()).rejects.toThrow(words);
  }
});

test('a cluster: what is held, which Network nobody publishes to, and which stored file is missing', async () => {
  const clock = createMemoryClock(Date.now());
  const store = createMemoryTableStore({ clock });
  const blobs = createMemoryBlobStore();
  let count = 0;
  const ids = { token: () => `token ${++count}` };
  const place = { blobs, name: 'bucket files', connectable: ['x', 'threads'] as const };
  const found = async () =>
    (await clusterFindings(store, place, clock)).map(({ check, ok, detail }) => `${check} ${ok}: ${detail}`);
  expect(await found()).toEqual([
    'publishers true: no process with the role publisher was seen lately',
    'stored files true: 0 files are named by rows, and none is missing in bucket files',
  ]);

  const [asset, rendition] = ['assets/a', renditionBlob('a', 'made')];
  await blobs.put(asset, Readable.from([Buffer.from('a picture')]), { maxBytes: 100 });
  const body = encodeBody({ id: 'a', state: 'attached', blob: asset });
  await store.upsert(ASSETS, [{ partition: ['a'], clustering: [], body, format: 1, timestamp: 1 }]);
  await store.compareAndSet(
    RENDITIONS,
    replacing(['a'], ['key'], { over: null, value: { blob: rendition }, token: 't' }),
  );
  const process = { instance: 'p', address: 'http://p', secretKeys: ['k'], seenAt: clock.now(), stoppedAt: null };
  await announceProcess(store, { ...process, publishes: ['x'] }, { over: null, token: 'p' });
  const all = { network: null, workspaceId: null, holder: 'operator', since: clock.now() } as const;
  await holdScope({ store, ids }, { ...all, by: 'ada', reason: 'the wrong client' });
  expect(await found()).toEqual([
    'publishing true: every Network is held by ada (the wrong client): crier admin publishing.status, then publishing.release',
    expect.stringMatching(/^publishers false: no process publishes to threads, .*CRIER_PUBLISH_NETWORKS/),
    expect.stringMatching(
      `^stored files false: 2 files are named by rows, and 1 are missing in bucket files .${rendition}`,
    ),
  ]);
});

test('what was released after a restore is reported no more', async () => {
  const clock = createMemoryClock(Date.now());
  const store = createMemoryTableStore({ clock });
  await markRestored(store, { backupAt: clock.now() - HOUR_MS, restoredAt: clock.now() });
  const place = { blobs: createMemoryBlobStore(), name: 'bucket files', connectable: [] };
  const checks = async () => (await clusterFindings(store, place, clock)).map(({ check }) => check);
  expect(await checks()).toContain('publishing');
  await releaseRestored({ store, ids: { token: () => 'token' } }, { overdue: 'ask', by: 'ada', now: clock.now() });
  expect(await checks()).not.toContain('publishing');
});

test.each([
  [4_000, true],
  [-4_000, true],
  [HOUR_MS, false],
  [-HOUR_MS, false],
])('a clock that leads by %i ms is right: %s', (leadMs, ok) => {
  const [finding] = clockFindings({ name: "Cassandra's", leadMs, isBoth: true });
  expect(finding).toMatchObject({ check: 'clock', ok });
  if (!ok) expect(finding!.detail).toContain(`3600 s ${leadMs > 0 ? 'ahead of' : 'behind'} Cassandra's: set it by NTP`);
});

test('every Network has a publisher: that is said', () => {
  expect(unservedFindings([['x'], ['threads']], ['x', 'threads'])).toMatchObject([{ ok: true }]);
});
