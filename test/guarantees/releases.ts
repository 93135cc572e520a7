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

/** Each Post is live once on each Channel, in time, and nothing was parked on the way. */
export async function expectAllInTime(
  { written }: DuePosts,
  { crier, networks }: { readonly crier: CrierUnderTest; readonly networks: CrierUnderTest },
): Promise<{ readonly posts: number; readonly latestMs: number }> {
  const texts = new Map(written.map(({ text, at }) => [text, Date.parse(at)]));
  const ours = async () => (await networks.sandbox().items()).filter(({ text }) => texts.has(text));
  await until(async () => (await ours()).length >= 2 * written.length, {
    what: `${2 * written.length} items live`,
    withinMs: 90_000,
    everyMs: 500,
  }).catch(async (error: Error) => {
    throw new Error(`${error.message}\n${await whatIsSeen(crier)}`);
  });
  const items = await ours();
  const times = [...texts].map(([text, at]) => ({
    text,
    networks: items.filter((item) => item.text === text).map(({ network }) => network),
    latestMs: Math.max(...items.filter((item) => item.text === text).map((item) => Date.parse(item.publishedAt) - at)),
  }));
  for (const { text, networks: live } of times) expect(live.toSorted(), text).toEqual(['threads', 'x']);
  const latestMs = Math.max(...times.map((each) => each.latestMs));
  expect(latestMs).toBeLessThan(LATEST_MS);
  expect(Math.min(...times.map((each) => each.latestMs))).toBeGreaterThanOrEqual(0);
  expect(await crier.admin().call('parked.list')).toMatchObject({ parked: [] });
  expect(heldBack((await crier.admin().get('/metrics')).body as string)).toEqual([]);
  return { posts: written.length, latestMs };
}

/** Series of crier_keys_held_back that are not 0. */
function heldBack(metrics: string): readonly string[] {
  return metrics.split('\n').filter((line) => /^crier_keys_held_back\{.*\} [^0]/.test(line));
}

/** What the installation writes, as a process says. */
export async function writesOf(crier: CrierUnderTest): Promise<number> {
  return (await crier.admin().call('cluster.status')).writes;
}
