import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { closeDatabase, openDatabase } from '#adapters/sqlite/database.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { NO_BRAKE } from '#tables/repositories/publishing-brake.ts';
import { openEmbeddedWorkspace, type EmbeddedWorkspace } from './embedded-workspace.fixture.ts';

// Commands that the owner of a Workspace reads before they are durable, over one SQLite file.
let folder: string;
let path: string;
let workspace: EmbeddedWorkspace | null;
/** Called with each answer that leaves the owner. */
let onAnswer: (requestId: string) => void;
/** Holds up decisions that have begun. */
let gate: Promise<void>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
  path = join(folder, 'crier.db');
  onAnswer = () => {};
  gate = Promise.resolve();
  workspace = await openEmbeddedWorkspace({
    path,
    brake: { ...NO_BRAKE, known: (maxAgeMs) => gate.then(() => NO_BRAKE.known(maxAgeMs)) },
    onAnswer: ({ requestId }) => onAnswer(requestId),
  });
});

afterEach(async () => {
  await workspace?.close();
  rmSync(folder, { recursive: true });
});

function open(): EmbeddedWorkspace {
  if (workspace === null) throw new Error('it is closed');
  return workspace;
}

/** The database takes nothing that needs another page, until the function that it returns is called. */
function fill({ database }: EmbeddedWorkspace): () => void {
  const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
  database.exec(`PRAGMA max_page_count = ${pages}`);
  return () => database.exec('PRAGMA max_page_count = 1000000');
}

const LONG = 'long '.repeat(2_000);

describe('a command that is read before it is durable', () => {
  test.each([
    ['a Post', false],
    ['a dry run, which writes nothing itself', true],
  ])('is answered only once all of it can be read from the disk: %s', async (_, dryRun) => {
    const { requests, creating } = open();
    await requests.request(creating('the first'));
    const disk = openDatabase(path);
    const commands = disk.prepare('SELECT count(*) AS n FROM records');
    const posts = disk.prepare('SELECT count(*) AS n FROM posts');
    const seen: unknown[] = [];
    onAnswer = () => seen.push([commands.get()?.['n'], posts.get()?.['n']]);
    const [commandsBefore, postsBefore] = [commands.get()?.['n'], posts.get()?.['n']].map(Number);
    for (let n = 1; n <= 5; n++) await requests.request(creating(`Post ${n}`, dryRun));
    expect(seen).toEqual(
      Array.from({ length: 5 }, (_, index) => [
        commandsBefore! + index + 1,
        dryRun ? postsBefore : postsBefore! + 2 * (index + 1),
      ]),
    );
    closeDatabase(disk);
  });

  test.each([
    ['decided at once', false],
    ['whose decision ends after the disk refused it', true],
    ['that is a dry run', false, true],
  ])('is never carried out if it could not be written: %s', async (_, isHeldUp, dryRun = false) => {
    const { database, requests, creating, store, id } = open();
    await requests.request(creating('the first'));
    const answered: string[] = [];
    onAnswer = (requestId) => answered.push(requestId);
    const makeRoom = fill(open());
    const held = Promise.withResolvers<void>();
    if (isHeldUp) gate = held.promise;
    const refused = creating(LONG, dryRun);
    await expect(requests.request(refused)).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    makeRoom();
    held.resolve();
    gate = Promise.resolve();
    const after = creating('after it');
    expect((await requests.request(after)).result).toMatchObject({ ok: true });
    expect(await readPost(store, id, refused.postId)).toBeNull();
    expect(await readPost(store, id, after.postId)).not.toBeNull();
    expect(answered).toEqual([after.requestId]);
    // Its offset is given to no other record.
    const offsets = database.prepare('SELECT offset FROM records ORDER BY offset').all();
    expect(offsets.map(({ offset }) => offset)).toEqual([0, 1, 2, 3, 5]);
  });
});
