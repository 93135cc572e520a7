import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { createPost, fileOf, published, upload } from './media-files.ts';

/** The most permissive umask that a shell, a container or a service manager may set. */
const OPEN_UMASK = ['sh', '-c', 'umask 0; exec "$@"', 'sh'];

let folder: string;
let crier: CrierUnderTest;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crier-private-'));
  crier = await CrierUnderTest.start({ dataDir: join(folder, 'data'), through: OPEN_UMASK });
});
afterAll(async () => {
  await crier[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Everything below the data folder that another user may access, with its mode. */
function openToOthers(): string[] {
  const entries = readdirSync(crier.dataDir, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(crier.dataDir, name),
  );
  return [crier.dataDir, ...entries].flatMap((path) => {
    const mode = modeOf(path);
    return mode === null || (mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`];
  });
}

/** Null: it is gone by now. */
function modeOf(path: string): number | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : found.mode & 0o777;
}

async function publishPicture(text: string): Promise<void> {
  const { bytes, contentType } = MEDIA_FIXTURES.photo;
  const { x, threads } = crier.ready.demo!.channels;
  const media = [{ assetId: await upload(crier.api(), fileOf(contentType, Buffer.from(bytes))) }];
  await published(crier, (await createPost(crier, { text, channelIds: [x, threads], media })).id);
}

test('no file of a new installation is open to other users, whatever the umask: databases, logs of them, media, secrets, locks', async () => {
  await publishPicture('for our eyes');
  const names = readdirSync(crier.dataDir, { recursive: true, encoding: 'utf8' });
  for (const name of [
    /^crier\.db$/,
    /^crier\.db-wal$/,
    /^sandbox\.db$/,
    /^secrets\.json$/,
    /^owner\.lock$/,
    /^blobs\/.*\.blob$/,
    /^sandbox-files\/./,
    /^under-way\/./,
  ])
    expect(names).toContainEqual(expect.stringMatching(name));
  expect(openToOthers()).toEqual([]);
  expect(modeOf(crier.readyFile)).toBe(0o600);
});

test('the folder of a release that left files open is made private at the next start, and goes on working', async () => {
  await crier.stop();
  const elsewhere = join(folder, 'elsewhere');
  writeFileSync(elsewhere, 'not of the data folder');
  chmodSync(elsewhere, 0o644);
  symlinkSync(elsewhere, join(crier.dataDir, 'blobs', 'link'));
  for (const name of readdirSync(crier.dataDir, { recursive: true, encoding: 'utf8' })) {
    const path = join(crier.dataDir, name);
    const found = lstatSync(path);
    if (!found.isSymbolicLink()) chmodSync(path, found.isDirectory() ? 0o755 : 0o644);
  }
  chmodSync(crier.dataDir, 0o755);
  await crier.start();
  await publishPicture('after the start');
  rmSync(join(crier.dataDir, 'blobs', 'link'));
  expect(openToOthers()).toEqual([]);
  expect(modeOf(elsewhere)).toBe(0o644);
});

test('the ready file is a new one each time: it keeps no open mode, and is not written through a link', async () => {
  await crier.stop();
  const victim = join(folder, 'victim');
  writeFileSync(victim, 'of somebody else', { mode: 0o600 });
  rmSync(crier.readyFile);
  // The harness removes the ready file before a start; files beside it stay.
  symlinkSync(victim, `${crier.readyFile}.new`);
  await crier.start();
  expect(readFileSync(victim, 'utf8')).toBe('of somebody else');
  expect([modeOf(crier.readyFile), lstatSync(crier.readyFile).isSymbolicLink()]).toEqual([0o600, false]);
  await crier.stop();
  writeFileSync(`${crier.readyFile}.new`, '');
  chmodSync(`${crier.readyFile}.new`, 0o666);
  await crier.start();
  expect(modeOf(crier.readyFile)).toBe(0o600);
});
