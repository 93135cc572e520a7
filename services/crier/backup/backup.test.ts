import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { createSystemClock } from '#adapters/system/clock.ts';
import { CREDENTIAL_OWNERS, INSTALLATION } from '#tables/declarations/tables.ts';
import { writeInstallation } from '#tables/repositories/installation.ts';
import { probeSecret } from '#tables/repositories/secret-probe.ts';
import { readHolds } from '#tables/repositories/publishing-holds.ts';
import { readStoredFormat, writeStoredFormat } from '#tables/repositories/written-formats.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { openEmbeddedEngine } from '../engines/embedded.ts';
import { backUp } from './back-up.ts';
import { FILE, makeInstallation, MISSING_FILE, writeRow, type TestInstallation } from './installation.fixture.ts';
import type { Manifest } from './manifest.ts';
import { openManifest } from './read-archive.ts';
import { restoreBackup } from './restore.ts';
import { verifyBackup } from './verify.ts';
import { writeArchive } from './write-archive.ts';

const clock = createSystemClock();

let installation: TestInstallation;
let backup: string;
let backups: string;
beforeAll(async () => {
  installation = await makeInstallation();
  backups = join(installation.folder, 'backups');
  mkdirSync(backups);
  backup = join(backups, 'first.tar');
  await backUp({ config: installation.config(), to: backup, withFiles: true, clock });
});
afterAll(() => installation[Symbol.dispose]());

const target = (): string => join(installation.folder, 'restored');
afterEach(() => rmSync(target(), { recursive: true, force: true }));

const take = (options: { to?: string; withFiles?: boolean; settings?: Record<string, string> } = {}) =>
  backUp({
    config: installation.config(options.settings),
    to: options.to ?? join(backups, 'another.tar'),
    withFiles: options.withFiles ?? false,
    clock,
  });
const restore = (from = backup, settings: Record<string, string> = {}) =>
  restoreBackup({ config: installation.config({ CRIER_DATA_DIR: target(), ...settings }), from, clock });

/** The same backup with other facts in its manifest. */
async function told(facts: Partial<Manifest>): Promise<string> {
  const manifest = await openManifest(backup);
  const path = join(backups, 'told.tar');
  rmSync(path, { force: true });
  const unpacked = join(installation.folder, 'unpacked');
  mkdirSync(unpacked, { recursive: true });
  spawnSync('tar', ['-xf', backup, '-C', unpacked]);
  const sources = async function* () {
    for (const { name } of manifest.entries) yield { name, path: join(unpacked, name) };
  };
  await writeArchive({
    rest: () => {},
    path,
    madeAt: new Date(manifest.madeAt),
    sources: sources(),
    describe: (found) => ({ ...manifest, ...found, ...facts }),
  });
  rmSync(unpacked, { recursive: true });
  return path;
}

test('taken while a process writes, it holds one instant; nothing else is changed, and only its user may read it', async () => {
  const engine = await installation.open();
  const before = readdirSync(installation.dataDir).toSorted();
  const [manifest] = await Promise.all([take(), writeRow(engine, 'w_meanwhile', { text: 'of meanwhile' })]);
  await writeRow(engine, 'w_after', { text: 'of after' });
  expect(readdirSync(installation.dataDir).toSorted()).toEqual(before);
  await engine.close();
  const path = join(backups, 'another.tar');
  expect([statSync(path).mode & 0o777, readdirSync(backups)]).toEqual([0o600, ['another.tar', 'first.tar']]);
  expect(manifest).toMatchObject({ format: 1, engine: 'embedded', secrets: 'included', files: 'by reference' });
  expect(manifest.entries.map(({ name }) => name)).toEqual(['crier.db', 'secrets.json', 'demo.json']);
  expect(await verifyBackup(path, clock)).toEqual({ manifest, troubles: [] });
  rmSync(path);
});

test('restored, it has the rows, secrets, demo and files of then, not the sandbox, and everything is held', async () => {
  const { files, manifest } = await restore();
  expect(files).toEqual({ named: 2, looked: 2, missing: 1, examples: [MISSING_FILE] });
  const kept = readdirSync(target()).toSorted();
  expect(kept).toEqual(['blobs', 'crier.db', 'demo.json', 'owner.lock', 'secrets.json']);
  for (const name of kept) expect(statSync(join(target(), name)).mode & 0o077, name).toBe(0);
  for (const name of ['secrets.json', 'demo.json'])
    expect(JSON.parse(readFileSync(join(target(), name), 'utf8'))).toEqual(
      JSON.parse(readFileSync(join(installation.dataDir, name), 'utf8')),
    );
  const engine = await openEmbeddedEngine(installation.config({ CRIER_DATA_DIR: target() }), createMemoryReporter());
  const row = await engine.store.read(CREDENTIAL_OWNERS, ['w_1'], []);
  expect(decodeBody(row!)).toEqual({ text: 'of before' });
  expect(await engine.store.read(CREDENTIAL_OWNERS, ['w_after'], [])).toBeNull();
  expect(await engine.blobs.head(FILE)).toEqual({ bytes: 9 });
  const { holds } = await readHolds(engine.store);
  expect(holds).toMatchObject([{ network: null, workspaceId: null, by: 'restore' }]);
  expect(holds[0]!.reason).toContain(manifest.snapshotAt);
  await engine.close();
});

test('files that are not in it are counted, with the first that are missing', async () => {
  await take();
  const { files } = await restore(join(backups, 'another.tar'));
  rmSync(join(backups, 'another.tar'));
  expect(files).toEqual({ named: 2, looked: 2, missing: 2, examples: [FILE, MISSING_FILE] });
});

test('of an installation that was killed it holds what was acknowledged', async () => {
  const engine = await installation.open();
  await writeRow(engine, 'w_killed', { text: 'in the log of writes alone' });
  // What a killed process leaves: a copy of the files as they are, the write-ahead log among them.
  const killed = join(installation.folder, 'killed');
  mkdirSync(killed);
  for (const name of ['crier.db', 'crier.db-wal', 'secrets.json'])
    writeFileSync(join(killed, name), readFileSync(join(installation.dataDir, name)));
  await engine.close();
  await take({ settings: { CRIER_DATA_DIR: killed } });
  await restore(join(backups, 'another.tar'));
  rmSync(join(backups, 'another.tar'));
  const restored = await openEmbeddedEngine(installation.config({ CRIER_DATA_DIR: target() }), createMemoryReporter());
  expect(await restored.store.read(CREDENTIAL_OWNERS, ['w_killed'], [])).not.toBeNull();
  await restored.close();
});

test('a secret of the settings is in it, and one that this command does not know is told to be elsewhere', async () => {
  const secret = 'set-by-the-environment-not-the-file-1';
  using other = await makeInstallation({ CRIER_SECRET: secret });
  const to = join(other.folder, 'with.tar');
  expect((await backUp({ config: other.config(), to, withFiles: false, clock })).secrets).toBe('included');
  await restore(to);
  expect(JSON.parse(readFileSync(join(target(), 'secrets.json'), 'utf8'))).toMatchObject({ secret });
  rmSync(target(), { recursive: true });
  const without = join(other.folder, 'without.tar');
  const config = other.config({ CRIER_SECRET: '' });
  expect((await backUp({ config, to: without, withFiles: false, clock })).secrets).toBe('elsewhere');
  await expect(restore(without, { CRIER_SECRET: 'a-third-one-that-opens-nothing-at-all-2' })).rejects.toThrow(
    /CRIER_SECRET is not the secret of this installation/,
  );
  expect(existsSync(target())).toBe(false);
});

test.each([
  ['a folder that is not there', { CRIER_DATA_DIR: '/nowhere/data' }, /there is no data folder \/nowhere\/data/],
  ['a folder that is no data folder', { CRIER_DATA_DIR: '/proc/self/fdinfo' }, /is no data folder of Crier/],
])('a backup of %s is refused in one sentence', async (_what, settings, words) => {
  const before = readdirSync(backups);
  await expect(take({ settings })).rejects.toThrow(words);
  expect(readdirSync(backups)).toEqual(before);
});

test.each([
  ['that exists', () => backup, /first\.tar exists already: a backup replaces nothing/],
  [
    'in a folder that is not there',
    () => join(backups, 'no', 'x.tar'),
    /can't write a backup to .*no: it is not there/,
  ],
  ['that is below a file', () => join(backup, 'x.tar'), /can't write a backup to .*first\.tar: a file stands where/],
  ['where nobody may write', () => '/proc/x.tar', /can't write a backup to \/proc: /],
])('a backup to a path %s is refused in one sentence', async (_what, to, words) => {
  const [before, bytes] = [readdirSync(backups), statSync(backup).size];
  await expect(take({ to: to() })).rejects.toThrow(words);
  expect([readdirSync(backups), statSync(backup).size]).toEqual([before, bytes]);
});

test('a database that is none, is damaged, or is of a newer release is refused in one sentence', async () => {
  const folder = join(installation.folder, 'strange');
  const settings = { CRIER_DATA_DIR: folder };
  mkdirSync(folder);
  writeFileSync(join(folder, 'crier.db'), 'this is a text, and a rather long one for a text that is no database');
  await expect(take({ settings })).rejects.toThrow(/can't copy .*: the file is not a database/);
  const database = readFileSync(join(installation.dataDir, 'crier.db'));
  database.fill(0xff, 8_192, 60_000);
  writeFileSync(join(folder, 'crier.db'), database);
  await expect(take({ settings })).rejects.toThrow(/the database file is damaged/);
  rmSync(folder, { recursive: true });
  using newer = await makeInstallation();
  const engine = await newer.open();
  const over = (await engine.store.read(INSTALLATION, ['schema'], []))!.version;
  await writeInstallation(engine.store, ['schema'], { over, value: { schema: 99 }, token: 'newer' });
  await engine.close();
  const to = join(newer.folder, 'x.tar');
  await expect(backUp({ config: newer.config(), to, withFiles: false, clock })).rejects.toThrow(/schema version 99/);
  expect(readdirSync(backups)).toEqual(['first.tar']);
});

test('a full disk is reported in one sentence, and nothing is left on it', async () => {
  const disk = join(installation.folder, 'disk');
  mkdirSync(disk);
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', disk]).status === 0;
  // Where nothing may be mounted: full for everybody, and no folder.
  const to = mounted ? join(disk, 'x.tar') : '/dev/full/x.tar';
  try {
    await expect(take({ to })).rejects.toThrow(mounted ? /the disk is full/ : /a file stands where/);
    expect(readdirSync(disk)).toEqual([]);
  } finally {
    if (mounted) spawnSync('umount', [disk]);
  }
});

test('what a killed backup left is removed by the next one into the same folder, and what is under way is not', async () => {
  const [deserted, young] = [join(backups, '.crier-backup-dead00'), join(backups, '.crier-backup-young0')];
  for (const folder of [deserted, young]) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'crier.db'), 'half of it');
  }
  const hoursAgo = new Date(clock.now() - 7_200_000);
  utimesSync(deserted, hoursAgo, hoursAgo);
  await take();
  expect([existsSync(deserted), existsSync(young)]).toEqual([false, true]);
  for (const path of [young, join(backups, 'another.tar')]) rmSync(path, { recursive: true });
});

test('a restore into a folder with content is refused and changes nothing; lost+found is no content', async () => {
  mkdirSync(join(target(), 'lost+found'), { recursive: true });
  await restore();
  const before = readdirSync(target()).toSorted();
  await expect(restore()).rejects.toThrow(/is not empty \(blobs\)/);
  expect(readdirSync(target()).toSorted()).toEqual(before);
  rmSync(target(), { recursive: true });
  mkdirSync(target());
  writeFileSync(join(target(), 'notes.txt'), 'mine');
  await expect(restore()).rejects.toThrow(/is not empty \(notes\.txt\)/);
  expect(readdirSync(target())).toEqual(['notes.txt']);
  rmSync(target(), { recursive: true });
  writeFileSync(target(), 'a file');
  await expect(restore()).rejects.toThrow(/is no folder/);
});

test('a damaged backup, one of a newer schema and one that is not there are refused, and nothing is left behind', async () => {
  await expect(restore(join(backups, 'none.tar'))).rejects.toThrow(/there is no backup .*none\.tar/);
  const damaged = join(backups, 'damaged.tar');
  const bytes = readFileSync(backup);
  bytes[100_000] = bytes[100_000]! ^ 1;
  writeFileSync(damaged, bytes);
  await expect(restore(damaged)).rejects.toThrow(/damaged\.tar can not be restored: crier\.db is damaged/);
  await expect(restore(await told({ schemaVersion: 99 }))).rejects.toThrow(/schema version 99, and this release reads/);
  expect(existsSync(target())).toBe(false);
  mkdirSync(target());
  await expect(restore(damaged)).rejects.toThrow(/is damaged/);
  expect(readdirSync(target())).toEqual([]);
});

test('rows that are not as many as the manifest says, and a schema that is newer, are troubles of a check', async () => {
  const { rows } = await openManifest(backup);
  const fewer = await verifyBackup(await told({ rows: { ...rows, credential_owners: 7, gone: 1 } }), clock);
  expect(fewer.troubles).toEqual([
    'table credential_owners has 1 rows, and its manifest says 7',
    'table gone has no rows, and its manifest says 1',
  ]);
  const newer = await verifyBackup(await told({ schemaVersion: 99 }), clock);
  expect(newer.troubles).toEqual([expect.stringContaining('schema version 99')]);
  rmSync(join(backups, 'told.tar'));
});

test('a backup in a format that this release can not read is reported by a check, and is not restored', async () => {
  using newer = await makeInstallation();
  const engine = await newer.open();
  const over = await readStoredFormat(engine.store);
  await writeStoredFormat(engine.store, over, { format: 900, release: '9.0.0', token: 'newer' });
  await engine.close();
  const to = join(newer.folder, 'newer.tar');
  await backUp({ config: newer.config(), to, withFiles: false, clock });
  const words = /the data is written in format 900 by release 9\.0\.0, and this release reads up to/;
  expect((await verifyBackup(to, clock)).troubles).toEqual([expect.stringMatching(words)]);
  await expect(restore(to)).rejects.toThrow(words);
  expect(existsSync(target())).toBe(false);
});

test('a folder in which a restore was cut off does not start, and the next restore begins anew', async () => {
  await restore();
  const config = installation.config({ CRIER_DATA_DIR: target() });
  // As a kill between two of its last steps leaves it: a part in its place, the rest still below.
  const [mark, below] = [join(target(), 'restoring.json'), join(target(), 'unpacked')];
  writeFileSync(mark, '{}');
  mkdirSync(below);
  renameSync(join(target(), 'crier.db'), join(below, 'crier.db'));
  await expect(openEmbeddedEngine(config, createMemoryReporter())).rejects.toThrow(
    /a restore into the data folder .* did not end/,
  );
  expect(readdirSync(below)).toEqual(['crier.db']);
  await restore();
  expect([existsSync(mark), existsSync(below)]).toEqual([false, false]);
  await (await openEmbeddedEngine(config, createMemoryReporter())).close();
});

test('a backup that stands in the folder of a restore that was cut off is not removed by the next one', async () => {
  mkdirSync(target());
  writeFileSync(join(target(), 'restoring.json'), '{}');
  const own = join(target(), 'own.tar');
  writeFileSync(own, readFileSync(backup));
  await expect(restore(own)).rejects.toThrow(/own\.tar is in .*restored, which a restore clears: move it/);
  expect(readFileSync(own)).toEqual(readFileSync(backup));
});

test('a folder in which a restore was cut off is not backed up', async () => {
  await restore();
  writeFileSync(join(target(), 'restoring.json'), '{}');
  await expect(take({ settings: { CRIER_DATA_DIR: target() } })).rejects.toThrow(/a restore into .* did not end/);
  expect(readdirSync(backups)).not.toContain('another.tar');
});

test('a restore into a folder in which a process works is refused', async () => {
  using other = await makeInstallation();
  rmSync(other.dataDir, { recursive: true });
  const engine = await other.open();
  await expect(restoreBackup({ config: other.config(), from: backup, clock })).rejects.toThrow(/is not empty/);
  await engine.close();
});

describe('a backup from around a change of the secret', () => {
  const [OLD, NEW] = ['the-former-secret-of-these-tests-0123', 'the-coming-secret-of-these-tests-4567'];
  const boxOf = (secret: string, ...previousSecrets: string[]) => createSecretBox({ secret, previousSecrets });

  /** Made by an installation that began with the former secret and was started with both. */
  async function changed() {
    const other = await makeInstallation({ CRIER_SECRET: OLD });
    const both = { CRIER_SECRET: NEW, CRIER_PREVIOUS_SECRETS: OLD };
    const engine = await other.open(both);
    expect(await probeSecret(engine.store, boxOf(NEW, OLD), () => engine.ids.token())).toBeNull();
    await engine.close();
    const to = join(backups, `${Math.random()}.tar`);
    await backUp({ config: other.config(both), to, withFiles: false, clock });
    return { other, to };
  }

  test('is refused with the new secret alone, set or from the backup, in words that name the setting', async () => {
    const { other, to } = await changed();
    using _ = other;
    await expect(restore(to, { CRIER_SECRET: NEW })).rejects.toThrow(/name it in CRIER_PREVIOUS_SECRETS/);
    await expect(restore(to)).rejects.toThrow(
      /the secret in the backup does not open it.*name the former one in CRIER_PREVIOUS_SECRETS/,
    );
  });

  test('is restored with the former one alone, and says with which key values are sealed that nobody can open', async () => {
    const { other, to } = await changed();
    using _ = other;
    expect((await restore(to, { CRIER_SECRET: OLD })).unknownKeys).toEqual([boxOf(NEW).keyIds[0]]);
  });

  test.each([
    { how: 'both set', settings: { CRIER_SECRET: NEW, CRIER_PREVIOUS_SECRETS: OLD } },
    { how: 'the former one set, and the new one in the backup', settings: { CRIER_PREVIOUS_SECRETS: OLD } },
  ])('is restored with $how, and there is nothing to tell', async ({ settings }) => {
    const { other, to } = await changed();
    using _ = other;
    expect((await restore(to, settings)).unknownKeys).toEqual([]);
  });
});
