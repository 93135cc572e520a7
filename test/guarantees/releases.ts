import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { UnexpectedAnswer, type PostJson } from '#testing/crier-clients.ts';
import type { CrierUnderTest } from '#testing/crier-process.ts';
import type { TestWorkspace } from '#testing/crier-workspace.ts';
import { until } from '#testing/until.ts';

/** Posts are due this long after they are written, while processes of another release may be at work. */
const AHEAD_MS = 8_000;
/** The promise: never later than this. */
const LATEST_MS = 60_000;
/** Where the sender may live, x is looked at for the last time 180 s after the arm: only then ends what a kill left. */
const ENDED_WITHIN_MS = 300_000;

/** Writes a Post a second, due a little later, through whichever process is up, until it is stopped. */
export class DuePosts {
  readonly written: PostJson[] = [];
  readonly #doors: () => readonly CrierUnderTest[];
  readonly #workspace: TestWorkspace;
  /** When each Post is due, by its text. */
  readonly #instants = new Map<string, string>();
  #ends = false;
  #failure: unknown = null;
  #loop: Promise<void> = Promise.resolve();

  constructor(doors: () => readonly CrierUnderTest[], workspace: TestWorkspace) {
    this.#doors = doors;
    this.#workspace = workspace;
  }

  get apiKey(): string {
    return this.#workspace.apiKey;
  }

  begin(): void {
    this.#loop = this.#run().catch((error: unknown) => {
      this.#failure = error;
    });
  }

  async end(): Promise<void> {
    this.#ends = true;
    await this.#loop;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Resolves once so many more were written. */
  async more(count: number): Promise<void> {
    const enough = this.written.length + count;
    const isEnough = (): boolean => this.#failure !== null || this.written.length >= enough;
    await until(isEnough, { what: `${count} more Posts`, withinMs: 120_000 });
    if (this.#failure !== null) throw this.#failure;
  }

  async #explain(error: unknown): Promise<never> {
    const running = this.#doors().filter((process) => process.pid !== null);
    throw new Error(`${String(error)}\n${(await Promise.all(running.map(whatIsSeen))).join('\n')}`);
  }

  async #run(): Promise<void> {
    for (let number = 1; !this.#ends; number++) {
      const what = { what: `Post ${number} written`, withinMs: 60_000, everyMs: 200 };
      let edition = 0;
      const write = async (): Promise<PostJson> => {
        try {
          return await this.#write(edition === 0 ? `Post ${number}` : `Post ${number}, edition ${edition}`);
        } catch (error) {
          // What could not be written for so long that it would be due in the past is another Post.
          if (error instanceof UnexpectedAnswer && error.answer.status < 500) edition += 1;
          throw error;
        }
      };
      this.written.push(await until(write, what).catch((error: unknown) => this.#explain(error)));
      await sleep(1_000);
    }
  }

  /** Through the first process that answers. The same again is the same Post: a process may end while it writes it. */
  async #write(text: string): Promise<PostJson> {
    const { apiKey, channels } = this.#workspace;
    const scheduledAt = this.#instants.get(text) ?? new Date(Date.now() + AHEAD_MS).toISOString();
    this.#instants.set(text, scheduledAt);
    const body = { text, channelIds: [channels.x, channels.threads], scheduledAt };
    let failure: unknown = new Error('no process runs');
    for (const door of this.#doors().filter((process) => process.pid !== null)) {
      try {
        return await door.api(apiKey).createPost(body, { headers: { 'idempotency-key': text } });
      } catch (error) {
        failure = error;
        if (error instanceof UnexpectedAnswer) throw error;
      }
    }
    throw failure;
  }
}

/** What a process says of itself when something does not come about. */
async function whatIsSeen(crier: CrierUnderTest): Promise<string> {
  const parked = await crier
    .admin()
    .call('parked.list')
    .catch((error: Error) => error.message);
  return `${crier.name}: ${JSON.stringify(parked)}\n${crier.output().slice(-2_500)}`;
}

/**
 * Each Post is live once on each Channel, in time, and nothing was parked on the way. A process that is killed between
 * an arm and its call on x leaves a Variant that nobody can ask x about: it ends `unconfirmed`, one a kill at most.
 */
export async function expectAllInTime(
  posts: DuePosts,
  seen: { readonly crier: CrierUnderTest; readonly networks: CrierUnderTest; readonly kills: number },
): Promise<{ readonly posts: number; readonly unconfirmed: number; readonly latestMs: number }> {
  const { crier, networks, kills } = seen;
  const ended = await until(() => allEnded(posts, crier), {
    what: 'an end of every Variant',
    withinMs: ENDED_WITHIN_MS,
    everyMs: 500,
  }).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await whatIsSeen(crier)}`);
  });
  const items = await networks.sandbox().items();
  const lateness: number[] = [];
  let unconfirmed = 0;
  for (const { text, at, variants } of ended) {
    for (const { network, status, failureReason, failureDetail } of variants) {
      const live = items.filter((item) => item.text === text && item.network === network);
      const described = `${text} on ${network}: ${failureDetail ?? status}, live ${live.length} times`;
      if (status === 'published') expect(live.length, described).toBe(1);
      else {
        expect(`${network} ${status} ${failureReason}`, described).toBe('x failed unconfirmed');
        expect(live.length, described).toBeLessThanOrEqual(1);
        unconfirmed += 1;
      }
      lateness.push(...live.map(({ publishedAt }) => Date.parse(publishedAt) - Date.parse(at)));
    }
  }
  expect(unconfirmed).toBeLessThanOrEqual(kills);
  const latestMs = Math.max(...lateness);
  expect(latestMs).toBeLessThan(LATEST_MS);
  expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
  expect(await crier.admin().call('parked.list')).toMatchObject({ parked: [] });
  expect(heldBack((await crier.admin().get('/metrics')).body as string)).toEqual([]);
  return { posts: ended.length, unconfirmed, latestMs };
}

/** The Posts that were written, as they are now, once no Variant of theirs is open; null before. */
async function allEnded(posts: DuePosts, crier: CrierUnderTest): Promise<readonly PostJson[] | null> {
  const ids = new Set(posts.written.map(({ id }) => id));
  const listed = await crier.api(posts.apiKey).listPosts({ limit: '500' });
  const written = listed.filter(({ id }) => ids.has(id));
  expect(written.length).toBe(ids.size);
  const isOpen = ({ status }: { readonly status: string }) => status === 'scheduled' || status === 'publishing';
  return written.some(({ variants }) => variants.some(isOpen)) ? null : written;
}

/** Series of crier_keys_held_back that are not 0. */
function heldBack(metrics: string): readonly string[] {
  return metrics.split('\n').filter((line) => /^crier_keys_held_back\{.*\} [^0]/.test(line));
}

/** What the installation writes, as a process says. */
export async function writesOf(crier: CrierUnderTest): Promise<number> {
  return (await crier.admin().call('cluster.status')).writes;
}
