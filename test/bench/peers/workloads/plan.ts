import { setTimeout as sleep } from 'node:timers/promises';
import type { DuePost, Home } from '../peer.ts';
import { TooLate } from '../too-late.ts';
import type { PeerRun } from './peer-run.ts';

/** Posts of one home, in turn over its channels. */
export interface PlanOptions {
  /** Begins the text of each of its Posts. */
  readonly label: string;
  readonly posts: number;
  readonly channelsAPost: number;
  /** Between the due times of one Post and the next; 0: all at one instant. */
  readonly gapMs: number;
}

const WITHIN_MS = 120_000;
/** The lead is what creating is taken to need; when it was not enough, it is doubled. */
const LEADS = [1, 2, 4, 8];
const GUESSED_MS_A_POST = 2;
/** Before the first is due, creating has ended: else the figures would measure the creating. */
const QUIET_MS = 250;
const AFTER_MS = 1_000;
const SENTENCE = 'All of it is said in good time. ';

export interface ScheduledPlan {
  readonly posts: readonly DuePost[];
  readonly home: Home;
  readonly startsAt: number;
  readonly variants: number;
}

/**
 * Empties the sink, creates a home and schedules the plan there. Resolves when the last of its Posts is acknowledged,
 * before the first is due.
 */
export async function schedulePlan(
  run: Omit<PeerRun, 'meter'>,
  channels: number,
  options: PlanOptions,
): Promise<ScheduledPlan> {
  const home = await run.peer.openHome(channels);
  for (const lead of LEADS) {
    // Each time: of a plan that was created too late, some has arrived.
    await run.sink.clear();
    const leadMs = lead * (run.sizes.leadMs + options.posts * GUESSED_MS_A_POST);
    const startsAt = Date.now() + Math.ceil(leadMs);
    const posts = postsOf(home, { ...options, label: `${options.label} ${lead}` }, startsAt);
    const inTime = await home.schedule(posts).then(
      () => Date.now() < startsAt - QUIET_MS,
      (error: unknown) => {
        // Crier and the plain service refuse a Post whose instant has passed.
        if (error instanceof TooLate) return false;
        throw error;
      },
    );
    if (inTime) return { posts, home, startsAt, variants: posts.length * options.channelsAPost };
    run.say(`${options.label}: creating took too long; once more with more lead`);
    if (!(await settled(home, WITHIN_MS))) throw new Error('what was created too late did not end');
    // Webhooks follow.
    await sleep(AFTER_MS);
  }
  throw new Error(`${options.posts} Posts can't be created in the time they are given`);
}

function postsOf(home: Home, { label, posts, channelsAPost, gapMs }: PlanOptions, startsAt: number): DuePost[] {
  return Array.from({ length: posts }, (_, index) => ({
    text: `${label} ${index}. ${SENTENCE.repeat(5)}`.trim(),
    channels: Array.from(
      { length: channelsAPost },
      (__, place) => (index * channelsAPost + place) % home.accounts.length,
    ),
    dueAt: startsAt + Math.round(index * gapMs),
  }));
}

const POLL_MS = 500;

/** Resolves when all of a home has ended; false: not within the time. */
export async function settled(home: Home, withinMs: number): Promise<boolean> {
  const giveUpAt = Date.now() + withinMs;
  for (;;) {
    if ((await home.state()).unfinished === 0) return true;
    if (Date.now() > giveUpAt) return false;
    await sleep(POLL_MS);
  }
}
