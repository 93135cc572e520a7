import type { PresentPosts } from '#clients/csv/present-posts.ts';
import type { CsvPost } from '#clients/csv/read-row.ts';

/** What the server says of one Post of a bulk. */
export interface BulkAnswer {
  readonly status: number;
  readonly post?: { readonly id: string; readonly variants: readonly { readonly status: string }[] } | null;
  readonly replayed?: true;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly blockers?: readonly { readonly message: string }[];
  };
}

/** Where a row stands. `waiting`: the server was not asked yet. */
export type RowState =
  | { readonly kind: 'waiting' }
  | { readonly kind: 'good' }
  | { readonly kind: 'refused'; readonly messages: readonly string[] }
  /** `wasThere`: it had been made before, and was not made twice. */
  | { readonly kind: 'created'; readonly postId: string; readonly wasThere: boolean };

export interface ImportRow {
  /** As a spreadsheet counts. */
  readonly row: number;
  readonly post: CsvPost;
}

export interface ImportRunOptions {
  readonly rows: readonly ImportRow[];
  readonly isDryRun: boolean;
  /** Finds the Posts that were made in the time of these rows. */
  readonly findPresent: (
    posts: readonly CsvPost[],
    signal: AbortSignal,
  ) => Promise<Pick<PresentPosts, 'idOf' | 'wasCancelled'>>;
  /** At most `MAX_AT_ONCE` Posts. */
  readonly send: (posts: readonly CsvPost[], isDryRun: boolean) => Promise<readonly BulkAnswer[]>;
  /** Whether sending the same again may succeed, and when; null: it will not. */
  readonly retryOf: (error: unknown) => { readonly afterSeconds: number | null } | null;
  /** Resolves when it is time to try again; rejects when `signal` aborts. */
  readonly wait: (seconds: number | null, tries: number, signal: AbortSignal) => Promise<void>;
  readonly onState: (row: number, state: RowState) => void;
  /** It waits: for the connection, or because there were too many requests. */
  readonly onPause: (isPaused: boolean) => void;
  readonly signal: AbortSignal;
}

const MAX_AT_ONCE = 100;
/** Of a request: the server takes 1 MB. */
const MAX_CHARACTERS = 250_000;
/** Of a row, with waits of more than a minute in all. One that names too many addresses is refused however often. */
const MAX_TRIES = 8;

/**
 * Asks the server about every row, or has it create them, part by part and in order. A part whose answer was lost is
 * sent again: each row has an Idempotency-Key made of what it says, so none is created twice, in this run or within a
 * day of it. Rows that were created before that are found among the Posts, and not asked about; those whose Post was
 * moved, edited or cancelled since are refused. Rejects when the server refuses a part as a whole.
 */
export async function runImport(options: ImportRunOptions): Promise<void> {
  const rows = options.isDryRun ? await withoutPresent(options) : options.rows;
  for (const part of partsOf(rows)) await settle(part, options);
}

async function withoutPresent(options: ImportRunOptions): Promise<readonly ImportRow[]> {
  const { rows, findPresent, onState, signal } = options;
  const posts = rows.map(({ post }) => post);
  const present = await outlasting(options, () => findPresent(posts, signal));
  return rows.filter(({ row, post }) => {
    const postId = present.idOf(post);
    const wasCancelled = present.wasCancelled(post);
    if (postId !== null) onState(row, { kind: 'created', postId, wasThere: true });
    else if (wasCancelled) onState(row, { kind: 'refused', messages: [CANCELLED_BEFORE] });
    return postId === null && !wasCancelled;
  });
}

/** Rows whose answer may be another one in a while are sent again, and stand where they stood until then. */
async function settle(part: readonly ImportRow[], options: ImportRunOptions): Promise<void> {
  const { isDryRun, send, onState, onPause, wait, signal } = options;
  let open = part;
  for (let tries = 1; open.length > 0; tries++) {
    signal.throwIfAborted();
    const posts = open.map(({ post }) => post);
    const answers = await outlasting(options, () => send(posts, isDryRun));
    const isOpen = (index: number): boolean => tries < MAX_TRIES && isPassing(answers[index]);
    for (const [index, { row }] of open.entries()) if (!isOpen(index)) onState(row, stateOf(answers[index]));
    open = open.filter((_row, index) => isOpen(index));
    if (open.length === 0) return;
    onPause(true);
    await wait(null, tries, signal);
  }
}

/** As what the answer to a whole request is sent again for. Addresses of files are limited by the minute. */
function isPassing(answer: BulkAnswer | undefined): boolean {
  return ['rate_limited', 'unavailable', 'outcome_unknown'].includes(answer?.error?.code ?? '');
}

async function outlasting<T>({ retryOf, wait, onPause, signal }: ImportRunOptions, step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      const answer = await step();
      onPause(false);
      return answer;
    } catch (error) {
      const retry = retryOf(error);
      if (retry === null) throw error;
      onPause(true);
      await wait(retry.afterSeconds, tries, signal);
    }
  }
}

function partsOf(rows: readonly ImportRow[]): readonly (readonly ImportRow[])[] {
  const parts: ImportRow[][] = [];
  let characters = Infinity;
  for (const row of rows) {
    const own = JSON.stringify(row.post).length;
    if (characters + own > MAX_CHARACTERS || parts.at(-1)!.length === MAX_AT_ONCE) {
      parts.push([]);
      characters = 0;
    }
    parts.at(-1)!.push(row);
    characters += own;
  }
  return parts;
}

function stateOf(answer: BulkAnswer | undefined): RowState {
  if (answer === undefined)
    return { kind: 'refused', messages: ['The server said nothing of this row. Send the file again.'] };
  const { error, post, replayed } = answer;
  if (error !== undefined) {
    const blockers = (error.blockers ?? []).map(({ message }) => message);
    return { kind: 'refused', messages: blockers.length > 0 ? [...new Set(blockers)] : [error.message] };
  }
  if (post == null) return { kind: 'good' };
  const isCancelled = post.variants.every(({ status }) => status === 'cancelled');
  if (replayed === true && isCancelled) return { kind: 'refused', messages: [CANCELLED_BEFORE] };
  return { kind: 'created', postId: post.id, wasThere: replayed === true };
}

const CANCELLED_BEFORE =
  'It was created before, and moved, edited or cancelled since. To create it again, change its text or its time.';
