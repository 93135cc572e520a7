import type { DatabaseSync } from 'node:sqlite';
import type { Log } from '#ports/log.ts';
import type { GroupCommit } from './group-commit.ts';

const PAGE_BYTES = 4_096;
/** More than the largest record of the suites takes. */
const ROOM_PAGES = 100;
/** Of the event loop. */
const TURNS = 3;

/**
 * A disk that can be made full for a moment: a record still fits, and who reads it before it is durable writes
 * something behind it, in the same commit, that does not. Returns what makes it so until the function is called that
 * this returns.
 */
export async function fullAfterRead(
  { database, commits }: { readonly database: DatabaseSync; readonly commits: GroupCommit },
  log: Log,
  topic: string,
): Promise<() => Promise<() => void>> {
  database.exec('CREATE TABLE fillings (body BLOB)');
  const fill = () => database.prepare('INSERT INTO fillings VALUES (zeroblob(?))').run((ROOM_PAGES + 1) * PAGE_BYTES);
  let isFull = false;
  await log.subscribe({
    group: 'filling',
    topics: [topic],
    reads: 'appended',
    onRecords: () => void (isFull && commits.enqueue(fill).catch(() => {})),
  });
  return async () => {
    // Deliveries that are scheduled are made first: they would be after the commit.
    for (let turn = 0; turn < TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    isFull = true;
    const pages = Number(database.prepare('PRAGMA page_count').get()?.['page_count']);
    database.exec(`PRAGMA max_page_count = ${pages + ROOM_PAGES}`);
    return () => {
      isFull = false;
      database.exec('PRAGMA max_page_count = 1000000');
    };
  };
}
