import { expect, test } from 'vitest';
import type { FoundItem, IrreversibleCall } from '#networks/contract/adapter.ts';
import type { LiveItems } from '#tables/repositories/live-items.ts';
import type { AttemptJob, RestoredReading } from './attempt.ts';
import { search } from './search.ts';

const HOUR = 3_600_000;
const BACKUP_AT = 10 * HOUR;
const RESTORED: RestoredReading = {
  ...{ backupAt: BACKUP_AT, since: BACKUP_AT, until: BACKUP_AT + HOUR, restoredAt: BACKUP_AT + HOUR - 1 },
  ...{ overdue: 'ask', isTold: false },
};
const JOB: AttemptJob = {
  ...{ ledgerId: 'this', variantId: 'this', attempt: 1, workspaceId: 'w', network: 'threads', channelId: 'c' },
  ...{ accountId: 'account', dueAt: BACKUP_AT, latestStart: BACKUP_AT + HOUR, reconcileFirst: false, why: 'due' },
};

interface Listed {
  readonly items: readonly FoundItem[];
  /** The Variant of this installation that names each of them. */
  readonly namedBy?: string | null;
  readonly listedAfterMs?: number;
  readonly now?: number;
}

/** What is answered where the account's list has these items. */
function answerTo({ items, namedBy = null, listedAfterMs = 0, now = BACKUP_AT + 2 * HOUR }: Listed) {
  const found = { items, isProof: true, listedAfterMs, summary: { status: 200, detail: '' } };
  const adapter = {
    network: 'threads',
    search: async () => ({ kind: 'searched', ...found }),
  } as unknown as IrreversibleCall<null>;
  const liveItems: LiveItems = {
    ownerOf: async () => null,
    claim: async () => true,
    isNamed: async (_key, { but }) => namedBy !== null && namedBy !== but,
  };
  const about = { job: JOB, restored: RESTORED, sought: { handle: null, since: BACKUP_AT, asked: 0 } };
  return search(adapter, null, about, { liveItems, token: () => 'a token', now });
}

/** The kind of answer where the list has one item, which a Variant of this installation names. */
async function foundWhere(publishedAt: number | null, namedBy: string | null): Promise<string> {
  return (await answerTo({ items: [{ remoteId: '1', permalink: null, publishedAt }], namedBy })).kind;
}

test.each<[when: string, publishedAt: number | null]>([
  ['about when the backup was taken', BACKUP_AT + 1_000],
  ['at an instant that the Network does not say', null],
])('what went live %s is found, unless another Variant names it', async (_when, publishedAt) => {
  expect(await foundWhere(publishedAt, null)).toBe('published');
  expect(await foundWhere(publishedAt, 'this')).toBe('published');
  expect(await foundWhere(publishedAt, 'another')).toBe('absent');
});

test('what went live between backup and release is found: no Variant here can name it', async () => {
  expect(await foundWhere(BACKUP_AT + HOUR / 2, null)).toBe('published');
});

test('what went live after the release is not taken for it: this installation published that', async () => {
  expect(await foundWhere(BACKUP_AT + 2 * HOUR, null)).toBe('absent');
});

test('what a list shows within minutes is waited for, and what it shows hours later is unconfirmed until then', async () => {
  const at = (now: number, listedAfterMs: number) => answerTo({ items: [], listedAfterMs, now });
  const until = RESTORED.until;
  expect(await at(until + 1_000, 5 * 60_000)).toMatchObject({ kind: 'unknown', delayMs: 299_000 });
  expect(await at(until + 1_000, 6 * HOUR)).toMatchObject({ kind: 'unknown', delayMs: null });
  expect(await at(until + 6 * HOUR, 6 * HOUR)).toMatchObject({ kind: 'absent' });
});
