import type { ClientAnswer, PostJson, VariantJson } from '#testing/crier-clients.ts';
import type { Operation } from './linearizable.ts';
import type { PostInput, Standing } from './post-model.ts';

/** One Post that a client meant to create, and all that was asked and answered about it. */
export interface IntendedPost {
  readonly workspace: number;
  /** Unique in a run: it identifies the Post where no answer names its id, and its items at the Networks. */
  readonly text: string;
  readonly idempotencyKey: string;
  readonly variants: number;
  /** Epoch ms; null: immediate. */
  readonly dueAt: number | null;
  /** Null until an answer named it. */
  id: string | null;
  readonly operations: Operation<PostInput>[];
}

/** When a request was sent and answered, in monotonic time of this process. */
export interface AnswerTimes {
  readonly invokedAt: number;
  readonly answeredAt: number;
}

/** What clients saw of an installation. Operations are in monotonic time of this process. */
export class RecordedHistory {
  readonly posts: IntendedPost[] = [];
  /** Answers that no state of the installation justifies, in words. */
  readonly wrong: string[] = [];
  /** What was seen as begun before its time, which only a clock that leads can bring. Instants are epoch ms. */
  readonly begunEarly: { readonly what: string; readonly at: number; readonly dueAt: number }[] = [];
  /** How often each kind of request got each kind of answer. */
  readonly tally = new Map<string, number>();
  readonly #byText = new Map<string, IntendedPost>();

  intend(post: Omit<IntendedPost, 'id' | 'operations'>): IntendedPost {
    const intended: IntendedPost = { ...post, id: null, operations: [] };
    this.posts.push(intended);
    this.#byText.set(post.text, intended);
    return intended;
  }

  /** Calls, and notes how it ended. Null: no answer came. */
  async call(
    what: string,
    send: () => Promise<ClientAnswer>,
  ): Promise<AnswerTimes & { readonly answer: ClientAnswer | null }> {
    const invokedAt = performance.now();
    const answer = await send().catch(() => null);
    const outcome = answer === null ? 'no answer' : `${answer.status} ${answer.body?.error?.code ?? ''}`.trim();
    this.count(`${what}: ${outcome}`);
    return { invokedAt, answeredAt: performance.now(), answer };
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1);
  }

  /** Takes the answer to a request for one Post. False: it shows another one, and says nothing about either of them. */
  answered(kind: 'create' | 'read' | 'cancel', asked: IntendedPost, post: PostJson, when: AnswerTimes): boolean {
    if (post.text === asked.text) return this.saw(asked.workspace, post, when, kind) !== null;
    this.wrong.push(`${kind} of ${nameOf(asked)} was answered with ${nameOf(post)}`);
    return false;
  }

  /** Takes the answer to a retry of one Variant: `index` is its place in the Post. */
  retried(asked: IntendedPost, index: number, variantId: string, answer: VariantJson, when: AnswerTimes): void {
    if (answer.id !== variantId) {
      this.wrong.push(`retry of ${variantId} of ${nameOf(asked)} was answered with ${answer.id}`);
      return;
    }
    asked.operations.push({
      ...{ invokedAt: when.invokedAt, completedAt: when.answeredAt },
      input: { kind: 'retry', variant: index, standing: standingOf(answer) },
    });
  }

  /** Takes a Post that an answer shows, whatever was asked for, for what a reader saw. */
  saw(
    workspace: number,
    post: PostJson,
    when: AnswerTimes,
    kind: 'create' | 'read' | 'cancel' = 'read',
  ): IntendedPost | null {
    const intended = this.#byText.get(post.text);
    if (intended === undefined || intended.workspace !== workspace) {
      this.wrong.push(`Workspace ${workspace} was shown ${post.id} ${JSON.stringify(post.text)}, which is not its own`);
      return null;
    }
    if (intended.id !== null && intended.id !== post.id)
      this.wrong.push(`${JSON.stringify(post.text)} is ${intended.id} and ${post.id}`);
    intended.id = post.id;
    const standings = post.variants.map(standingOf);
    // The machine's clock after the answer, so that only what certainly was early is noted.
    const at = Date.now();
    if (intended.dueAt !== null && at < intended.dueAt && post.variants.some(({ status }) => BEGUN.has(status)))
      this.begunEarly.push({ what: `${post.id} is ${standings.join()}`, at, dueAt: intended.dueAt });
    intended.operations.push({
      invokedAt: when.invokedAt,
      completedAt: when.answeredAt,
      input: { kind, standings },
    });
    return intended;
  }
}

function nameOf({ id, text }: { readonly id: string | null; readonly text: string }): string {
  return `${id ?? 'a new Post'} ${JSON.stringify(text)}`;
}

const BEGUN: ReadonlySet<VariantJson['status']> = new Set(['publishing', 'published']);

export function standingOf({ status, failureReason }: VariantJson): Standing {
  if (status === 'failed' && failureReason === 'unconfirmed') return 'unconfirmed';
  if (status === 'draft') throw new Error('a Variant without files is never a draft');
  return status;
}
