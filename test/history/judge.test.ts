import { describe, expect, test } from 'vitest';
import { outcomeIdOf, type OutcomeBody } from '#domain/workspace/events.ts';
import type { ItemJson, PostJson, VariantJson } from '#testing/crier-clients.ts';
import type { ClockLead } from './early.ts';
import { judge, type Evidence } from './judge.ts';
import { accountTroubles, type Account } from './accounts.ts';
import { RecordedHistory } from './recorded-history.ts';

const DUE = Date.parse('2026-03-01T09:00:00.000Z');
const VARIANT = 'a0000000-0000-7000-8000-000000000001';

const ANOTHER_POST = { workspace: 0, idempotencyKey: 'another key', variants: 1, dueAt: DUE };

function accountOf(xCredits: Account['xCredits']): Account {
  return {
    ...{ given: { plan: 'agency', credits: 10 }, plan: 'agency', used: { postsPerMonth: 1 }, xCredits },
    period: { from: '2026-03-01T00:00:00.000Z', to: '2026-04-01T00:00:00.000Z' },
  };
}

/** A run with one Post on threads that was created, read and published, changed by what a test plants. */
function run(planted: {
  readonly variant?: Partial<VariantJson>;
  readonly items?: (item: ItemJson) => readonly ItemJson[];
  readonly events?: (event: OutcomeBody) => readonly (readonly OutcomeBody[])[];
  readonly posts?: (post: Evidence['posts'][number]) => Evidence['posts'];
  readonly seen?: (history: RecordedHistory, post: PostJson) => void;
  readonly leads?: readonly ClockLead[];
  readonly account?: Partial<Account>;
  /** No answer but the last list shows it as published. */
  readonly isPublishedLate?: boolean;
}): readonly string[] {
  const history = new RecordedHistory();
  history.intend({ workspace: 0, text: 'a Post', idempotencyKey: 'a key', variants: 1, dueAt: DUE });
  const variant = {
    ...{ id: VARIANT, channelId: 'a Channel', network: 'threads', status: 'published', scheduledAt: null },
    ...{ failureReason: null, failureDetail: null, permalink: 'https://threads.test/1', ...planted.variant },
  } as VariantJson;
  const post = { id: 'a post id', text: 'a Post', at: '', createdAt: '2026-03-01T08:00:00.000Z', variants: [variant] };
  history.saw(
    0,
    { ...post, variants: [{ ...variant, status: 'scheduled' }] },
    { invokedAt: 0, answeredAt: 1 },
    'create',
  );
  if (planted.isPublishedLate !== true) history.saw(0, post, { invokedAt: 2, answeredAt: 3 });
  planted.seen?.(history, post);
  const item = {
    ...{ network: 'threads', text: 'a Post', publishedAt: new Date(DUE + 5).toISOString() },
    permalink: 'https://threads.test/1',
  } as ItemJson;
  const event = {
    ...{ id: outcomeIdOf({ id: VARIANT, attempt: 1 }, 'variant.published'), type: 'variant.published', createdAt: '' },
    data: { variant, post },
  } as unknown as OutcomeBody;
  const listed = { ...post, workspace: 0 };
  const account = accountOf({ available: 10, reserved: 0 });
  return judge({
    history,
    faults: { refusals: 0, brokenCalls: 0, leads: planted.leads ?? [] },
    posts: planted.posts?.(listed) ?? [listed],
    items: planted.items?.(item) ?? [item],
    accounts: [
      { ...account, ...planted.account },
      { ...account, used: { postsPerMonth: 0 } },
    ],
    events: planted.events?.(event) ?? [[event], []],
    readAt: { invokedAt: 10, answeredAt: 11 },
    settledAt: DUE + 60_000,
  }).broken;
}

describe('a run', () => {
  test('in which all was well breaks no promise', () => {
    expect(run({})).toEqual([]);
  });

  test('in which a clock that leads brought a Post forward by no more than it led breaks no promise', () => {
    const items = (item: ItemJson): readonly ItemJson[] => [
      { ...item, publishedAt: new Date(DUE - 9_000).toISOString() },
    ];
    expect(run({ items, leads: [{ from: DUE - 20_000, to: DUE - 10_000, leadMs: 9_000 }] })).toEqual([]);
  });

  const PLANTED: readonly (readonly [string, Parameters<typeof run>[0], RegExp])[] = [
    ['live twice', { items: (item) => [item, item] }, /live 2 times/],
    ['live early', { items: (item) => [{ ...item, publishedAt: new Date(DUE - 1).toISOString() }] }, /before 2026/],
    [
      'live earlier than the clock that led can have brought it',
      {
        items: (item) => [{ ...item, publishedAt: new Date(DUE - 9_001).toISOString() }],
        leads: [{ from: DUE - 20_000, to: DUE - 10_000, leadMs: 9_000 }],
      },
      /before 2026/,
    ],
    [
      'live early long after the clock that led was right again',
      {
        items: (item) => [{ ...item, publishedAt: new Date(DUE - 1).toISOString() }],
        leads: [{ from: DUE - 100_000, to: DUE - 60_002, leadMs: 9_000 }],
      },
      /before 2026/,
    ],
    [
      'begun before its time',
      { seen: ({ begunEarly }) => void begunEarly.push({ what: 'it is publishing', at: DUE - 1, dueAt: DUE }) },
      /it is publishing before 2026/,
    ],
    ['published, and not live', { items: () => [] }, /published, and not live/],
    ['live, and of no Post', { items: (item) => [item, { ...item, text: 'another' }] }, /of no Post/],
    ['at another address', { variant: { permalink: 'https://threads.test/2' } }, /and live at/],
    ['failed, and live', { variant: { status: 'failed', failureReason: 'platform_problem' } }, /failed, and live/],
    [
      'unconfirmed where the Network can be asked',
      { variant: { status: 'failed', failureReason: 'unconfirmed' } },
      /unconfirmed, where/,
    ],
    [
      'failed though its Network refused nothing',
      { variant: { status: 'failed', failureReason: 'rejected_by_platform' }, items: () => [], events: () => [[], []] },
      /1 Variants failed as rejected_by_platform, with 0 causes/,
    ],
    ['publishing for ever', { variant: { status: 'publishing' } }, /publishing for ever/],
    ['scheduled for ever', { variant: { status: 'scheduled' }, items: () => [] }, /scheduled for ever/],
    ['answered, and lost', { posts: () => [], items: () => [], events: () => [[], []] }, /not there at the end/],
    ['without an event', { events: () => [[], []] }, /no event says so/],
    ['with an event to another Workspace', { events: (event) => [[event], [event]] }, /not its own/],
    [
      'with an event under an id of its own',
      { events: (event) => [[event, { ...event, id: 'another' }], []] },
      /unknown id/,
    ],
    [
      'shown to another Workspace',
      { seen: (history, post) => void history.saw(1, post, { invokedAt: 4, answeredAt: 5 }) },
      /not its own/,
    ],
    [
      'answered with another Post of the same Workspace',
      {
        seen: (history, post) => {
          const asked = history.intend({ ...ANOTHER_POST, text: 'another Post' });
          void history.answered('create', asked, post, { invokedAt: 4, answeredAt: 5 });
        },
      },
      /create of a new Post "another Post" was answered with a post id "a Post"/,
    ],
    [
      'of which another Variant was retried than was asked for',
      {
        seen: (history, post) =>
          history.retried(history.posts[0]!, 0, 'another Variant', post.variants[0]!, { invokedAt: 4, answeredAt: 5 }),
      },
      /retry of another Variant of a post id "a Post" was answered with a0000000/,
    ],
    [
      'of two ids',
      { seen: (history, post) => void history.saw(0, { ...post, id: 'b' }, { invokedAt: 4, answeredAt: 5 }) },
      /is a post id and b/,
    ],
    [
      'read as scheduled after it was read as published',
      {
        seen: (history, post) =>
          void history.saw(
            0,
            { ...post, variants: [{ ...post.variants[0]!, status: 'scheduled' }] },
            { invokedAt: 4, answeredAt: 5 },
          ),
      },
      /has no order/,
    ],
    [
      'answered as cancelled, and published after the last answer',
      {
        isPublishedLate: true,
        seen: (history, post) =>
          void history.saw(
            0,
            { ...post, variants: [{ ...post.variants[0]!, status: 'cancelled' }] },
            { invokedAt: 4, answeredAt: 5 },
            'cancel',
          ),
      },
      /has no order[^]*"cancel"[^]*"published"/,
    ],
    ['counted twice', { account: { used: { postsPerMonth: 2 } } }, /Workspace 0: 2 Posts are counted, and 1 are there/],
    ['under another Plan', { account: { plan: 'free' } }, /Workspace 0: the Plan is free, and agency was given/],
    ['of threads, and paid for', { account: { xCredits: { available: 9, reserved: 0 } } }, /it is 10 and 0/],
    ['there twice', { posts: (post) => [post, { ...post, id: 'b' }] }, /is there as a post id and b/],
    ['in the list of another Workspace', { posts: (post) => [{ ...post, workspace: 1 }] }, /Workspace 1 has a post id/],
    [
      'of a text that nobody sent',
      { posts: (post) => [post, { ...post, text: 'b' }] },
      /Workspace 0 has a post id "b"/,
    ],
  ];
  test.each(PLANTED)('%s is noticed', (_, planted, words) => {
    expect(run(planted).join('\n')).toMatch(words);
  });
});

describe('the credits of ten of which one was for a Variant on x', () => {
  const ROWS: readonly (readonly [string, Partial<VariantJson>, boolean, Account['xCredits']])[] = [
    ['that waits are reserved', { status: 'scheduled' }, false, { available: 9, reserved: 1 }],
    ['that is published are spent', { status: 'published' }, false, { available: 9, reserved: 0 }],
    ['that was cancelled are free again', { status: 'cancelled' }, false, { available: 10, reserved: 0 }],
    [
      'whose outcome is unknown are reserved',
      { status: 'failed', failureReason: 'unconfirmed' },
      false,
      { available: 9, reserved: 1 },
    ],
    [
      'whose first attempt may be live are reserved, whatever came of a retry',
      { status: 'failed', failureReason: 'rejected_by_platform' },
      true,
      { available: 9, reserved: 1 },
    ],
    ['that a late proof published are spent', { status: 'published' }, true, { available: 9, reserved: 0 }],
  ];
  test.each(ROWS)('%s', (_, changes, wasUnconfirmed, right) => {
    const variant = { id: VARIANT, network: 'x', failureReason: null, ...changes } as VariantJson;
    const post = { id: 'a', text: 'a Post', at: '', createdAt: '2026-03-01T08:00:00.000Z', variants: [variant] };
    const troubles = (xCredits: Account['xCredits']): readonly string[] =>
      accountTroubles(accountOf(xCredits), [post], new Set(wasUnconfirmed ? [VARIANT] : []));
    expect(troubles(right)).toEqual([]);
    for (const wrong of [
      { available: right.available - 1, reserved: right.reserved },
      { available: right.available + 1, reserved: 0 },
      { available: right.available - 1, reserved: right.reserved + 1 },
    ])
      expect(troubles(wrong).join()).toMatch(/credits: /);
  });
});
