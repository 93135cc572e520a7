import { describe, expect, test } from 'vitest';
import { AUDIT_KEPT_MS, type AuditEntry } from '#domain/workspace/audit.ts';
import type { TableStore } from '#ports/table-store.ts';
import { AUDIT, POST_DAYS } from '../declarations/tables.ts';
import { auditKey, auditPeriod, bucketOf } from '../buckets.ts';
import { BODY_FORMAT, encodeBody } from '../rows/body.ts';
import { turnTimestamp } from '../rows/pending-effects.ts';
import { auditRow, listAudit, type AuditPosition } from './audit.ts';
import { periodRow } from './post-days.ts';
import type { TwoStores } from './two-stores.fixture.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 12);

const entryAt = (at: number, id = `entry ${at}`): AuditEntry => ({
  id,
  at,
  action: 'workspace.renamed',
  actor: { kind: 'member', id: 'm', name: 'Ada', memberName: 'Ada' },
  origin: { door: 'app', address: '192.0.2.7' },
  subject: { kind: 'workspace', id: 'w', name: 'New' },
  detail: { formerName: 'Old' },
});

/** `bucketOfEntry`: left out, each month has one bucket. */
async function write(
  store: TableStore,
  entries: readonly AuditEntry[],
  { workspaceId = 'w', bucketOfEntry = () => 0 }: WriteOptions = {},
): Promise<void> {
  const rows = entries.map((entry) => {
    const { partition, clustering, value, ttlSeconds } = auditRow(workspaceId, entry, bucketOfEntry(entry));
    const body = encodeBody(value);
    return { partition, clustering, body, format: BODY_FORMAT, timestamp: turnTimestamp(1), ttlSeconds: ttlSeconds! };
  });
  await store.upsert(AUDIT, rows);
}

interface WriteOptions {
  readonly workspaceId?: string;
  readonly bucketOfEntry?: (entry: AuditEntry) => number;
}

/** Each month has a bucket for every `size` entries. */
async function writeInBuckets(store: TableStore, entries: readonly AuditEntry[], size: number): Promise<void> {
  const byMonth = Map.groupBy(entries, ({ at }) => auditPeriod(at).number);
  const endsOf = new Map(
    [...byMonth].map(([month, of]) => {
      const keys = of.map(auditKey).toSorted();
      return [month, keys.filter((_, index) => (index + 1) % size === 0 && index + 1 < keys.length)] as const;
    }),
  );
  await write(store, entries, {
    bucketOfEntry: (entry) => bucketOf(endsOf.get(auditPeriod(entry.at).number)!, auditKey(entry)),
  });
  const rows = [...endsOf].map(([number, ends]) => periodRow('w', { kind: 'audit', number }, { ends, bytes: 1 }));
  await store.upsert(
    POST_DAYS,
    rows.map(({ partition, clustering, value, ttlSeconds }) => {
      const row = { partition, clustering, body: encodeBody(value), ttlSeconds: ttlSeconds! };
      return { ...row, format: BODY_FORMAT, timestamp: turnTimestamp(1) };
    }),
  );
}

/** All entries, by pages of `limit`. */
async function pages(store: TableStore, limit: number, now = NOW): Promise<readonly (readonly AuditEntry[])[]> {
  const read: (readonly AuditEntry[])[] = [];
  for (let before: AuditPosition | null = null; ;) {
    const { entries, more } = await listAudit(store, 'w', { before, limit, now });
    read.push(entries);
    if (!more) return read;
    before = entries.at(-1)!;
  }
}

/** What any store has to make true of the audit. `open` gives two ways to the same tables. */
export function auditRows(name: string, open: () => Promise<TwoStores>): void {
  describe(name, () => {
    const opened = async (work: (stores: TwoStores['stores']) => Promise<void>) => {
      const { stores, close } = await open();
      await work(stores).finally(close);
    };

    test('an entry is listed as it was written, newest first, over months that have none between them', () =>
      opened(async ([writer, reader]) => {
        const ages = [0, 1, 31, 32, 200, 399].map((days) => NOW - days * DAY_MS);
        const entries = ages.map((at) => entryAt(at));
        await write(writer, entries.toReversed());
        expect(await listAudit(reader, 'w', { before: null, limit: 10, now: NOW })).toEqual({ entries, more: false });
      }));

    test.each([1, 2, 3, 7, 8])('pages of %i hold every entry once, those of one instant too', (limit) =>
      opened(async ([writer, reader]) => {
        const monthStart = Date.UTC(2026, 10, 1);
        const instants = [NOW, NOW, NOW, monthStart, monthStart - 1, monthStart - 1, Date.UTC(2026, 1, 3)];
        const entries = instants.map((at, index) => entryAt(at, `id ${instants.length - index}`));
        await write(writer, entries);
        const read = await pages(reader, limit);
        expect(read.flat()).toEqual(entries);
        expect(read).toHaveLength(Math.ceil(entries.length / limit));
      }),
    );

    test.each([1, 2, 5])('pages hold every entry once where a month has a bucket for each %i of them', (size) =>
      opened(async ([writer, reader]) => {
        const instants = Array.from({ length: 12 }, (_, index) => NOW - Math.floor(index / 2) * 7 * DAY_MS);
        const entries = instants.map((at, index) => entryAt(at, `id ${String(90 - index)}`));
        await writeInBuckets(writer, entries, size);
        for (const limit of [1, 3, 100]) expect((await pages(reader, limit)).flat()).toEqual(entries);
      }),
    );

    test('a turn that is written again leaves one entry, and another Workspace sees none of it', () =>
      opened(async ([writer, other]) => {
        await Promise.all([write(writer, [entryAt(NOW)]), write(other, [entryAt(NOW)])]);
        await write(other, [entryAt(NOW)]);
        expect((await pages(other, 10)).flat()).toEqual([entryAt(NOW)]);
        expect(await listAudit(other, 'v', { before: null, limit: 10, now: NOW })).toEqual({
          entries: [],
          more: false,
        });
      }));

    test('an entry of 400 days ago is not shown any more, whether or not its row is gone', () =>
      opened(async ([writer, reader]) => {
        const entries = [entryAt(NOW - AUDIT_KEPT_MS + 1), entryAt(NOW - AUDIT_KEPT_MS)];
        await write(writer, entries);
        expect((await pages(reader, 1)).flat()).toEqual(entries.slice(0, 1));
        expect((await pages(reader, 1, NOW + 1)).flat()).toEqual([]);
      }));

    test('an entry of an owner whose clock leads is shown, in the next month too', () =>
      opened(async ([writer, reader]) => {
        const now = Date.UTC(2026, 10, 30, 23, 59, 58);
        const ahead = entryAt(now + 5_000);
        await write(writer, [entryAt(now), ahead]);
        expect((await pages(reader, 1, now)).flat()).toEqual([ahead, entryAt(now)]);
      }));
  });
}
