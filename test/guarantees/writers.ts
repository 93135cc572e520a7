import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, type ClientAnswer, type PostJson } from '#testing/crier-clients.ts';
import type { SeededRandom } from '#testing/seeded-random.ts';
import type { TestWorkspace } from '#testing/crier-workspace.ts';

/** A Post that was requested until an answer said that it exists. */
export interface Written {
  readonly workspace: TestWorkspace;
  readonly text: string;
  readonly scheduledAt: string | null;
  /** As acknowledged. */
  readonly post: PostJson;
  /** Requests until then. */
  readonly asked: number;
  readonly cancelled: boolean;
}

export interface WritersOptions {
  readonly baseUrl: string;
  readonly workspaces: readonly TestWorkspace[];
  readonly random: SeededRandom;
  /** The time of the installation, as far as it is known. */
  readonly now: () => number;
  /** Reconnects the Channels that need it, as their owner would. */
  readonly reconnect: (workspace: TestWorkspace) => Promise<void>;
}

const PAUSE_MS = 40;
const GIVE_UP_MS = 60_000;
const DONE: ClientAnswer = { status: 200, headers: new Headers(), body: null };

/**
 * Clients that write Posts, each repeatedly under its Idempotency-Key until a definite answer comes, and cancel some of
 * those that are scheduled. They take an unreachable ingress, and 503, for "not yet"; any unexpected answer makes
 * `stop` reject.
 */
export class Writers {
  readonly written: Written[] = [];
  readonly #options: WritersOptions;
  readonly #clients: Promise<void>[] = [];
  #over = false;
  #count = 0;

  constructor(options: WritersOptions) {
    this.#options = options;
  }

  start(clients: number): void {
    for (let client = 0; client < clients; client++) {
      const writing = this.#write();
      // `stop` reports it.
      writing.catch(() => {});
      this.#clients.push(writing);
    }
  }

  /** Resolves when each client has its definite answer. */
  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all(this.#clients);
  }

  async #write(): Promise<void> {
    const { workspaces, random, baseUrl } = this.#options;
    while (!this.#over) {
      const count = ++this.#count;
      const workspace = workspaces[count % workspaces.length]!;
      const api = new ApiClient(baseUrl, workspace.apiKey);
      const text = `Post ${count} of this run`;
      const scheduledAt = random.chance(0.5)
        ? new Date(this.#options.now() + 900_000 + random.between(60_000, 600_000)).toISOString()
        : null;
      const body = {
        text,
        channelIds: Object.values(workspace.channels),
        ...(scheduledAt === null ? {} : { scheduledAt }),
      };
      const create = () =>
        this.#insist(() => api.send('POST', '/api/posts', body, { headers: { 'idempotency-key': `key-${count}` } }));
      let { answer, asked } = await create();
      while (JSON.stringify(answer.body).includes('needs to be reconnected')) {
        await this.#insist(() => this.#options.reconnect(workspace).then(() => DONE));
        ({ answer, asked } = await create());
      }
      // Time was moved while it waited: the Post does not exist, or its key would have found it.
      if (answer.body.error?.code === 'too_early') continue;
      if (answer.status !== 201)
        throw new Error(`POST ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`);
      const post: PostJson = answer.body.data;
      const cancelled = scheduledAt !== null && random.chance(0.3) && (await this.#cancel(api, post.id));
      this.written.push({ workspace, text, scheduledAt, post, asked, cancelled });
      await sleep(random.between(0, PAUSE_MS));
    }
  }

  /** False: too late, the Variant is being published or was. */
  async #cancel(api: ApiClient, postId: string): Promise<boolean> {
    const { answer } = await this.#insist(() => api.send('POST', `/api/posts/${postId}/cancel`));
    const cancelled = (post: PostJson): boolean => post.variants.every(({ status }) => status === 'cancelled');
    if (answer.status === 200) return cancelled(answer.body.data);
    if (answer.status !== 409) throw new Error(`cancel: ${answer.status} ${JSON.stringify(answer.body)}`);
    // An earlier request of ours did it, without an answer; or its instant had come.
    const { answer: read } = await this.#insist(() => api.send('GET', `/api/posts/${postId}`));
    return cancelled(read.body.data);
  }

  async #insist(ask: () => Promise<ClientAnswer>): Promise<{ readonly answer: ClientAnswer; readonly asked: number }> {
    const from = performance.now();
    for (let asked = 1; ; asked++) {
      const answer = await ask().catch(() => null);
      if (answer !== null && answer.status !== 503) return { answer, asked };
      if (performance.now() - from > GIVE_UP_MS) throw new Error(`no definite answer within ${GIVE_UP_MS} ms`);
      await sleep(PAUSE_MS);
    }
  }
}
