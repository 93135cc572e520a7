import { describe, expect, test } from 'vitest';
import type { Post, Variant } from '#domain/post/post.ts';
import type { PublishingHold } from '#domain/publishing-holds.ts';
import { WORKSPACE_COMMANDS, PUBLISH } from '#tables/declarations/topics.ts';
import type { ArmRow, Evidence } from '#tables/repositories/ledger.ts';
import type { ParkedKey } from '#tables/repositories/parking.ts';
import { minuteOf } from '#tables/repositories/due.ts';
import { whereaboutsOf } from './variant-words.ts';
import type { VariantFacts } from './variant-facts.ts';
import type { WaitsFor } from './whereabouts.ts';
import { instantWords, spanWords } from './words.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

const VARIANT: Variant = {
  ...{ id: 'v', channelId: 'c', network: 'x', placement: 'feed', status: 'scheduled', scheduledAt: NOW },
  ...{ dueAt: NOW, attempt: 2, failureReason: null, failureDetail: null, remoteId: null, permalink: null },
  ...{ mediaReady: true, cancelledAt: null, cancelledByDisconnect: null, creditReserved: false },
  ...{ channelDisconnects: 0, reconcileFirst: false },
};

const ARM: ArmRow = {
  ...{ attempt: 2, stage: 'preparing', handle: null, armedAt: 0, armToken: '', sendBefore: 0, notBefore: 0 },
  ...{ asked: 0, failures: 0, refreshed: false, earlier: null, verdict: null, version: 1, token: 't' },
};

const ARMED: ArmRow = { ...ARM, stage: 'armed', armedAt: NOW - MINUTE_MS, armToken: 'a', sendBefore: NOW - 55_000 };

const step = (about: Partial<Evidence>): Evidence => ({
  ...{ attempt: 2, step: 'publish', id: 'i', armToken: 'a', startedAt: NOW - 50_000, finishedAt: NOW - 40_000 },
  ...{ outcome: 'accepted', detail: '', remoteId: null, permalink: null, failure: null },
  ...about,
});

interface Given extends Omit<Partial<VariantFacts>, 'variant' | 'ledger'> {
  readonly variant?: Partial<Variant>;
  readonly arm?: ArmRow;
  readonly evidence?: readonly Evidence[];
}

function facts({ variant, arm, evidence = [], ...given }: Given): VariantFacts {
  return {
    now: NOW,
    post: { workspaceId: 'w', media: [] } as unknown as Post,
    variant: { ...VARIANT, ...variant },
    channel: null,
    holds: [],
    ledger: { arm: arm ?? null, evidence },
    commentLedger: null,
    shard: { number: 12, owner: 'crier-7', watermark: minuteOf(NOW) },
    timers: [],
    timersLeftOut: false,
    parked: [],
    log: [
      { group: 'workspace', topic: WORKSPACE_COMMANDS.name, partition: 12, behind: 4, owner: 'crier-1' },
      { group: 'publisher-x', topic: PUBLISH.x.name, partition: 3, behind: 12, owner: 'crier-2' },
    ],
    ...given,
  };
}

const everything: PublishingHold = {
  ...{ network: null, workspaceId: null, holder: 'operator', since: NOW - MINUTE_MS, by: 'ada', reason: 'a drill' },
};
const publishing = { status: 'publishing' } as const;
const timer = { name: 'due/p/1', dueAt: NOW + 90_000, shard: 12, topic: WORKSPACE_COMMANDS.name, variantIds: ['v'] };
const parked: ParkedKey = {
  ...{ topic: PUBLISH.x.name, partition: 3, key: 'c', episode: 'e', wish: 'none', drainedTo: -1, error: 'it broke' },
  ...{ parkedAt: NOW, held: 1 },
};

const CASES: readonly (readonly [what: string, given: Given, waitsFor: WaitsFor, words: string])[] = [
  ['a draft', { variant: { status: 'draft' } }, 'a person', 'somebody has to schedule'],
  [
    'scheduled, with its timer',
    { variant: { dueAt: NOW + 90_000 }, timers: [timer] },
    'its time',
    'Its timer due/p/1 waits: 2026-11-20T12:01:30.000Z, in 1 min 30 s, in shard 12, minute 2026-11-20T12:01:00.000Z, owned by crier-7.',
  ],
  ['scheduled without a timer', { variant: { dueAt: NOW + 90_000 } }, 'its time', 'No timer for it is in the tables'],
  [
    'scheduled while everything is held',
    { variant: { dueAt: NOW + 90_000 }, timers: [timer], holds: [everything] },
    'its time',
    'It will wait when it is due: everything is held since 2026-11-20T11:59:00.000Z, 1 min ago, by ada: a drill.',
  ],
  [
    'scheduled on a Channel that needs a reconnect',
    { variant: { dueAt: NOW + 90_000 }, timers: [timer], channel: { state: 'needs_reconnect' } as never },
    'its time',
    'it fails with needs_reconnect',
  ],
  [
    'held',
    { variant: { hold: { waiting: true } }, holds: [{ ...everything, network: 'x' }] },
    'a hold',
    'It is held: x is held since',
  ],
  ['released', { variant: { hold: { waiting: true } } }, 'a hold', 'No hold covers it any more'],
  [
    'due, with its files missing',
    { variant: { mediaReady: false } },
    'its media',
    'fails with media_problem when its missed window ends',
  ],
  [
    'due, and not begun',
    {},
    'its turn',
    'partition 12 of workspace.commands.v1 is 4 records behind, and crier-1 reads it',
  ],
  [
    'without a publisher yet',
    { variant: publishing },
    'a publisher',
    'It waits for its turn: partition 3 of publish.x.v1 is 12 records behind, and crier-2 reads it.',
  ],
  [
    'of an attempt before',
    { variant: publishing, arm: { ...ARM, attempt: 1 } },
    'a publisher',
    'No publisher has begun',
  ],
  [
    'refused for now',
    { variant: publishing, arm: { ...ARM, failures: 3, notBefore: NOW + 4_000 } },
    'the Network',
    'refused it for now, 3 times. It goes on at 2026-11-20T12:00:04.000Z, in 4 s.',
  ],
  [
    'on its way to the Network',
    { variant: publishing, arm: { ...ARMED, armedAt: NOW - 1_000, sendBefore: NOW + 4_000 } },
    'the Network',
    'It was armed at 2026-11-20T11:59:59.000Z, 1 s ago: the one call that publishes is on its way.',
  ],
  [
    'of unknown outcome',
    { variant: publishing, arm: { ...ARMED, asked: 1, notBefore: NOW + 60_000 } },
    'the Network',
    'It is not sent again: the Network is asked instead. The Network was asked 1 time what became of it. It goes on at',
  ],
  [
    'taken by the Network',
    { variant: publishing, arm: ARMED, evidence: [step({})] },
    'the Network',
    'the Network took it and works on it. Its last step, publish, ended as accepted',
  ],
  [
    'published, and not reported',
    { variant: publishing, arm: ARMED, evidence: [step({ outcome: 'published' })] },
    'its report',
    'The attempt ended: published. Its report to the Workspace is on its way. It waits for its turn: partition 12',
  ],
  [
    'given back',
    { variant: publishing, arm: { ...ARM, givenBack: true } },
    'its report',
    'was given back because publishing is held',
  ],
  [
    'parked',
    { variant: publishing, parked: [parked] },
    'a parked key',
    `crier admin parked.retry '{"topic":"publish.x.v1","key":"c"}'`,
  ],
  [
    'parked, and retried',
    { variant: publishing, parked: [{ ...parked, wish: 'retry' }] },
    'a parked key',
    'asked for retry',
  ],
  [
    'with the log away',
    { variant: publishing, log: 'Kafka: no broker answers' },
    'a publisher',
    'How far the log has been read is not known: Kafka: no broker answers.',
  ],
  [
    'where nobody publishes',
    {
      variant: publishing,
      log: [{ group: 'publisher-x', topic: PUBLISH.x.name, partition: 3, behind: 1, owner: null }],
    },
    'a publisher',
    'Nobody reads partition 3 of publish.x.v1, which is 1 record behind',
  ],
  [
    'published',
    { variant: { status: 'published', permalink: 'https://x.test/1' }, evidence: [step({ outcome: 'published' })] },
    'nothing',
    'It is published at 2026-11-20T11:59:20.000Z, 40 s ago',
  ],
  [
    'published, with a comment to come',
    {
      variant: {
        status: 'published',
        firstComment: { status: 'waiting', permalink: null, detail: null, creditReserved: false },
      },
      commentLedger: { arm: { ...ARM, notBefore: NOW + 1_000 }, evidence: [] },
    },
    'nothing',
    'Its first comment waits: its attempt is preparing. It goes on at 2026-11-20T12:00:01.000Z.',
  ],
  [
    'failed',
    { variant: { status: 'failed', failureReason: 'missed_window', failureDetail: 'too late' } },
    'a person',
    'It failed with missed_window: too late No publisher ever began it. Nothing more happens until somebody retries it.',
  ],
  [
    'unconfirmed',
    { variant: { status: 'failed', failureReason: 'unconfirmed', failureDetail: 'unknown' }, evidence: [step({})] },
    'a person',
    'It may be live',
  ],
  ['cancelled', { variant: { status: 'cancelled', cancelledAt: NOW } }, 'nothing', 'It was cancelled at'],
  [
    'cancelled by a Disconnect',
    { variant: { status: 'cancelled', cancelledAt: NOW, cancelledByDisconnect: { by: 'Ada' } } },
    'nothing',
    'because its Channel was disconnected by Ada',
  ],
];

describe('where a Variant is', () => {
  test.each(CASES)('%s', (_, given, waitsFor, words) => {
    const found = whereaboutsOf(facts(given));
    expect(found.words.join(' ')).toContain(words);
    expect(found.waitsFor).toBe(waitsFor);
    for (const sentence of found.words) expect(sentence).toMatch(/^[A-Z].*[.!a-z0-9)]$/);
  });
});

test('spans are shown in their two largest units, instants with how far away they are', () => {
  expect([0, 999, 61_000, 3_600_000, 90_061_000].map(spanWords)).toEqual(['0 s', '1 s', '1 min 1 s', '1 h', '1 d 1 h']);
  expect(instantWords(NOW - 1_000, NOW)).toBe('2026-11-20T11:59:59.000Z, 1 s ago');
});
