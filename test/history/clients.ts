import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient, type ClientAnswer, type PostJson } from '#testing/crier-clients.ts';
import type { TestWorkspace } from '#testing/crier-workspace.ts';
import type { SeededRandom } from '#testing/seeded-random.ts';
import type { IntendedPost, RecordedHistory } from './recorded-history.ts';

export interface ClientsOptions {
  readonly history: RecordedHistory;
  readonly workspaces: readonly TestWorkspace[];
  /** Of every ingress. A client takes another one at each request. */
  readonly baseUrls: readonly string[];
  readonly random: SeededRandom;
}

const HOUR_MS = 3_600_000;
/** The pause between two requests of one client: this tests faults and not load. */
const PAUSE_MS = 400;
/** Shorter than the repeats of a create are, so that some go on while the first is still on its way. */
const PATIENCE_MS = 12_000;
const LIST_LIMIT = 100;

/**
 * Clients of all Workspaces at once, which create, read, list, cancel and retry Posts as they please, also those of
 * each other, and repeat creations of which they got no answer. All of it is recorded.
 */
export class Clients {
  readonly #options: ClientsOptions;
  readonly #running: Promise<void>[] = [];
  #isOver = false;
  #count = 0;

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  start(clients: number): void {
    for (let client = 0; client < clients; client++) this.#running.push(this.#run());
  }

  /** Resolves when every request was answered or given up. Rejects with what a client did not expect at all. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }

  async #run(): Promise<void> {
    const { random, workspaces } = this.#options;
    while (!this.#isOver) {
      const workspace = Math.floor(random.next() * workspaces.length);
      const dice = random.next();
      if (dice < 0.35) await this.#create(workspace);
      else if (dice < 0.6) await this.#onOne(workspace, (post) => this.#read(post));
      else if (dice < 0.7) await this.#onOne(workspace, (post) => this.#cancel(post));
      else if (dice < 0.8) await this.#onOne(workspace, (post) => this.#retry(post));
      else if (dice < 0.88) await this.#onOne(workspace, (post) => this.#askAsAnother(post));
      else if (dice < 0.92) await this.#onOne(workspace, (post) => this.#createOnce(post));
      else await this.list(workspace);
      await sleep(random.between(0, PAUSE_MS));
    }
  }

  /** Creates a Post; without an answer that says what became of it, the same request is sent again, some times. */
  async #create(workspace: number): Promise<void> {
    const { random, history } = this.#options;
    const count = ++this.#count;
    const dice = random.next();
    const dueAt = dice < 0.25 ? null : Math.round(Date.now() + (dice < 0.85 ? random.between(2_000, 40_000) : HOUR_MS));
    const post = history.intend({
      ...{ workspace, dueAt, variants: 1 + (count % 2) },
      ...{ text: `Post ${count} of this history`, idempotencyKey: `history-${count}` },
    });
    for (let tries = 0; tries < 4 && !(await this.#createOnce(post)) && !this.#isOver; tries++)
      await sleep(random.between(0, 3_000));
  }

  /** Whether an answer said what became of it. */
  async #createOnce(post: IntendedPost): Promise<boolean> {
    const { history, workspaces } = this.#options;
    const { channels } = workspaces[post.workspace]!;
    const body = {
      text: post.text,
      channelIds: [channels.threads, channels.x].slice(0, post.variants),
      ...(post.dueAt === null ? {} : { scheduledAt: new Date(post.dueAt).toISOString() }),
    };
    const headers = { 'idempotency-key': post.idempotencyKey };
    const { answer, ...when } = await history.call('create', () =>
      this.#api(post.workspace).send('POST', '/api/posts', body, { headers, withinMs: PATIENCE_MS }),
    );
    if (answer?.status === 201) {
      history.answered('create', post, answer.body.data, when);
      return true;
    }
    // The first one came too late for a time that has passed since: nothing was created, as far as this answer says.
    if (isRefusal(answer, 'too_early')) return true;
    if (isNotDone(answer)) return false;
    if (!isUnknown(answer)) history.wrong.push(`create ${post.text}: ${describe(answer)}`);
    post.operations.push({
      invokedAt: when.invokedAt,
      completedAt: null,
      input: { kind: 'create unknown', variants: post.variants },
    });
    return false;
  }

  async #read(post: IntendedPost): Promise<PostJson | null> {
    const { history } = this.#options;
    const { answer, ...when } = await history.call('read', () =>
      this.#api(post.workspace).send('GET', `/api/posts/${post.id}`, undefined, { withinMs: PATIENCE_MS }),
    );
    if (answer?.status === 200) return history.answered('read', post, answer.body.data, when) ? answer.body.data : null;
    this.#without(post, 'read', answer, when);
    return null;
  }

  async #cancel(post: IntendedPost): Promise<void> {
    const { history } = this.#options;
    const { answer, ...when } = await history.call('cancel', () =>
      this.#api(post.workspace).send('POST', `/api/posts/${post.id}/cancel`, undefined, { withinMs: PATIENCE_MS }),
    );
    if (answer?.status === 200) history.answered('cancel', post, answer.body.data, when);
    else if (isRefusal(answer, 'not_cancellable')) this.#note(post, when, { kind: 'cancel refused' });
    else if (isUnknown(answer)) this.#note(post, { ...when, answeredAt: null }, { kind: 'cancel unknown' });
    else this.#without(post, 'cancel', answer, when);
  }

  /** Retries what failed, and now and then what did not, which must be refused. */
  async #retry(post: IntendedPost): Promise<void> {
    const { history } = this.#options;
    const read = await this.#read(post);
    if (read === null) return;
    const failed = read.variants.findIndex(({ status }) => status === 'failed');
    const variant = Math.max(0, failed);
    const { id } = read.variants[variant]!;
    const { answer, ...when } = await history.call('retry', () =>
      this.#api(post.workspace).send('POST', `/api/variants/${id}/retry`, undefined, { withinMs: PATIENCE_MS }),
    );
    if (answer?.status === 200) history.retried(post, variant, id, answer.body.data, when);
    else if (isRefusal(answer, 'not_retryable')) this.#note(post, when, { kind: 'retry refused', variant });
    else if (isUnknown(answer)) this.#note(post, { ...when, answeredAt: null }, { kind: 'retry unknown', variant });
    else this.#without(post, 'retry', answer, when);
  }

  /** No caller of another Workspace learns that the Post exists, or changes it. */
  async #askAsAnother(post: IntendedPost): Promise<void> {
    const { history, workspaces } = this.#options;
    const another = (post.workspace + 1) % workspaces.length;
    const path = `/api/posts/${post.id}`;
    const isCancel = this.#options.random.chance(0.5);
    const { answer } = await history.call('of another Workspace', () =>
      this.#api(another).send(isCancel ? 'POST' : 'GET', isCancel ? `${path}/cancel` : path, undefined, {
        withinMs: PATIENCE_MS,
      }),
    );
    if (answer?.status === 404 || isNotDone(answer) || isUnknown(answer)) return;
    history.wrong.push(`Workspace ${another} asked for ${post.id}, which is not its own: ${describe(answer)}`);
  }

  /** Reads the newest Posts, and looks for those that were acknowledged before it asked. */
  async list(workspace: number): Promise<void> {
    const { history } = this.#options;
    const acknowledged = history.posts.filter((post) => post.workspace === workspace && post.id !== null);
    const { answer, ...when } = await history.call('list', () =>
      this.#api(workspace).send('GET', `/api/posts?limit=${LIST_LIMIT}`, undefined, { withinMs: PATIENCE_MS }),
    );
    if (answer?.status !== 200) {
      if (!isNotDone(answer) && !isUnknown(answer)) history.wrong.push(`list: ${describe(answer)}`);
      return;
    }
    const shown: readonly PostJson[] = answer.body.data;
    for (const post of shown) history.saw(workspace, post, when);
    const ids = new Set(shown.map(({ id }) => id));
    // Ids begin with the instant of creation, and the list is newest first.
    const oldest = shown.length < LIST_LIMIT ? '' : shown.at(-1)!.id;
    for (const { id, text } of acknowledged)
      if (id! > oldest && !ids.has(id!)) history.wrong.push(`${id} ${JSON.stringify(text)} is not in a list of later`);
  }

  #note(
    post: IntendedPost,
    when: { readonly invokedAt: number; readonly answeredAt: number | null },
    input: IntendedPost['operations'][number]['input'],
  ): void {
    post.operations.push({ invokedAt: when.invokedAt, completedAt: when.answeredAt, input });
  }

  /** What any request about a Post may be answered instead. */
  #without(
    post: IntendedPost,
    what: string,
    answer: ClientAnswer | null,
    when: { readonly invokedAt: number; readonly answeredAt: number },
  ): void {
    if (answer?.status === 404) this.#note(post, when, { kind: 'absent' });
    else if (!isNotDone(answer) && !isUnknown(answer))
      this.#options.history.wrong.push(`${what} ${post.id}: ${describe(answer)}`);
  }

  async #onOne(workspace: number, act: (post: IntendedPost) => Promise<unknown>): Promise<void> {
    const { history, random } = this.#options;
    const known = history.posts.filter((post) => post.workspace === workspace && post.id !== null);
    if (known.length === 0) return;
    // Mostly of the last ones, in which something still happens.
    const recent = known.slice(random.chance(0.8) ? -25 : 0);
    await act(recent[Math.floor(random.next() * recent.length)]!);
  }

  #api(workspace: number): ApiClient {
    const { baseUrls, random, workspaces } = this.#options;
    return new ApiClient(baseUrls[Math.floor(random.next() * baseUrls.length)]!, workspaces[workspace]!.apiKey);
  }
}

function isRefusal(answer: ClientAnswer | null, code: string): boolean {
  return answer?.body?.error?.code === code;
}

/** The API's word that nothing was done. */
function isNotDone(answer: ClientAnswer | null): boolean {
  return isRefusal(answer, 'unavailable') || isRefusal(answer, 'rate_limited');
}

/** No answer, or the API's word that it does not know. */
function isUnknown(answer: ClientAnswer | null): boolean {
  return answer === null || isRefusal(answer, 'outcome_unknown');
}

function describe(answer: ClientAnswer | null): string {
  return answer === null ? 'no answer' : `${answer.status} ${JSON.stringify(answer.body).slice(0, 300)}`;
}
