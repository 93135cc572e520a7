import type { MemoryClock } from '#adapters/memory/clock.ts';
import type { Network } from '#domain/network.ts';
import type { FirstComment, NetworkComments } from '#networks/contract/adapter.ts';
import { HttpFailure, type HttpClient } from '#ports/http-client.ts';
import { fixtureRenditions, type FixtureName } from '#testing/media-fixtures.ts';
import { workersOn, type AttemptWorkers } from './attempt-workers.fixture.ts';
import { commentAttemptOf, type CommentAttempt } from './comment-attempts.ts';
import { publishOn } from './publish-harness.fixture.ts';
import { openSandboxChannel, type SandboxChannel } from './sandbox-channel.fixture.ts';

export const COMMENT = 'First, and only once';
const DAY_MS = 24 * 3_600_000;

/** Networks with first comments. */
export const COMMENT_NETWORKS = ['facebook', 'instagram', 'youtube', 'x', 'threads'] as const satisfies Network[];
export type CommentNetwork = (typeof COMMENT_NETWORKS)[number];

/** What each is asked to comment on. */
const FILES: Readonly<Record<CommentNetwork, readonly FixtureName[]>> = {
  facebook: [],
  instagram: ['photo'],
  youtube: ['film'],
  x: [],
  threads: [],
};

/** The call that makes the comment public, as the sandbox names it. */
export const COMMENT_CALLS: Readonly<Record<CommentNetwork, string>> = {
  facebook: 'comments.create',
  instagram: 'comments.create',
  youtube: 'commentThreads.insert',
  x: 'tweets.reply',
  threads: 'replies.publish',
};

/** The same call, as it looks from here. */
export const COMMENT_STEPS: Readonly<Record<CommentNetwork, RegExp>> = {
  facebook: /POST .*\/comments$/,
  instagram: /POST .*\/comments$/,
  youtube: /POST .*\/commentThreads$/,
  x: /POST \/sim\/x\/2\/tweets$/,
  threads: /POST .*\/threads_publish$/,
};

export interface CommentHarness
  extends
    AttemptWorkers<CommentAttempt, FirstComment>,
    Pick<SandboxChannel, 'clock' | 'requests' | 'items' | 'control' | 'fault'> {
  readonly job: CommentAttempt;
  /** The texts of the comments on what is live. */
  comments(): Promise<readonly string[]>;
}

export interface CommentHarnessOptions {
  readonly adapter?: (real: NetworkComments) => NetworkComments;
}

/** What is live at one sandbox Network, with a first comment on its way, by workers that can be stopped anywhere. */
export async function openCommentHarness(
  network: CommentNetwork,
  about: CommentHarnessOptions = {},
): Promise<CommentHarness> {
  const channel = await openSandboxChannel(network, {
    http: (real, clock) => givingUp(real, clock, COMMENT_STEPS[network]),
  });
  const item = await published(channel, FILES[network]);
  const { clock, requests, items, control, fault, accountId, networks } = channel;
  const adapter = about.adapter?.(networks.comments[network]!) ?? networks.comments[network]!;
  const workers = workersOn<CommentAttempt, FirstComment>(channel, {
    adapter,
    isUse: adapter.isUse,
    readContent: async (job) => ({
      renditions: { kind: 'ready', files: [] },
      scheduledAt: null,
      contentFor: (access) => ({ ...access, itemId: job.itemId, text: COMMENT }),
    }),
  });
  const job = commentAttemptOf({
    ...{ type: 'PublishComment', why: 'due', workspaceId: 'w', network, channelId: 'channel', accountId },
    ...{ ...item, dueAt: clock.now(), latestStart: clock.now() + DAY_MS },
  });
  return {
    ...workers,
    ...{ clock, requests, items, control, fault, job },
    comments: async () => (await items()).flatMap(({ comments }) => comments.map(({ text }) => text)),
  };
}

/** Publishes the Variant that the comment goes under. */
async function published(
  channel: SandboxChannel,
  names: readonly FixtureName[],
): Promise<{ readonly variantId: string; readonly itemId: string }> {
  const files = fixtureRenditions(names);
  const variant = publishOn(channel, { renditions: { filesOf: async () => ({ kind: 'ready', files }) } });
  const machine = variant.worker();
  await machine.run(variant.job);
  await variant.settle(machine);
  const verdict = variant.concluded.at(0)?.verdict;
  if (verdict?.kind !== 'published') throw new Error(`not published: ${JSON.stringify(verdict)}`);
  return { variantId: variant.job.variantId, itemId: verdict.remoteId };
}

const TURNS = 20;

/**
 * `real`, whose caller gives up on this call when its time is over; the Network goes on with it. Of other calls none
 * is ever late.
 */
function givingUp(real: HttpClient, clock: MemoryClock, step: RegExp): HttpClient {
  return {
    send: async (request) => {
      const answered = real.send(request);
      if (!step.test(`${request.method} ${new URL(request.url).pathname}`)) return answered;
      let isLate = true;
      const settled = answered.finally(() => (isLate = false));
      settled.catch(() => {});
      for (let turn = 0; turn < TURNS && isLate; turn++) await new Promise((next) => setImmediate(next));
      if (isLate) await clock.advance(request.timeoutMs);
      if (!isLate) return settled;
      throw new HttpFailure(`${request.method}: no answer within ${request.timeoutMs} ms`, true);
    },
  };
}
