import { isAsked, type AskedCommand, type Command } from '#domain/workspace/commands.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { Channel } from '#domain/channel/channel.ts';
import type { Post } from '#domain/post/post.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import { NO_NEEDS } from '#domain/workspace/needs.ts';
import type { Answer, Result } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Decide, NeedsOf, Rules } from '#domain/workspace/turn.ts';
import type { RowWrite, TableStore } from '#ports/table-store.ts';
import { checkUpsert } from '#ports/table-rules.ts';
import { encodeRow, type EncodedRow } from '#runtime/effects.ts';
import { BODY_FORMAT, encodeBody } from '#tables/body.ts';
import { NO_EFFECTS, owesNothing, turnTimestamp, type PendingEffects } from '#tables/pending.ts';
import { POST_DAYS } from '#tables/tables.ts';
import { resultKey } from '#tables/workspaces.ts';
import { compileEffects } from './compile-effects.ts';
import { owedBeside } from './whole-turn.ts';
import type { PostCache } from './post-cache.ts';
import { TurnView } from './view.ts';

export interface TurnInput {
  readonly workspaceId: string;
  readonly state: WorkspaceState | null;
  readonly mark: object;
  /** Commands, each small enough for a turn. */
  readonly steps: readonly Command[];
  /** Directory rows known to be written, by key. */
  readonly knownDays: ReadonlySet<string>;
  readonly now: number;
  /** Its rows and timers are written with its compare-and-set: the head promises only what is not. */
  readonly whole: boolean;
  readonly store: TableStore;
  readonly posts: PostCache;
  readonly decide: Decide;
  readonly needsOf: NeedsOf;
  readonly rules: Rules;
}

export interface DecidedTurn {
  /** False: nothing to write, not even a result. */
  readonly changed: boolean;
  readonly state: WorkspaceState | null;
  /** All it brings about beside the head. */
  readonly pending: PendingEffects;
  /** What of it the head promises, and that as the head holds it. */
  readonly owed: PendingEffects;
  readonly pendingJson: string;
  readonly encodedRows: readonly EncodedRow[];
  /** Rows for the head's own atom: results, Idempotency-Keys. */
  readonly rows: readonly Omit<RowWrite, 'partition'>[];
  readonly answers: readonly { readonly replyTo: string; readonly answer: Answer }[];
  /** What the turn did not get to. */
  readonly rest: readonly Command[];
  readonly handled: number;
  readonly view: TurnView;
  readonly touched: ReadonlySet<string>;
  /** Keys of the directory rows it writes. */
  readonly days: readonly string[];
}

const POSTS_A_TURN = 100;
const STEPS_A_TURN = 400;
const EFFECT_BYTES_A_TURN = 512 * 1024;
/** Results are kept for askers that lost the hint, and for commands that stand twice in the log. */
const RESULT_TTL_SECONDS = 600;

/** Decides as many steps as fit one turn, at least one. Writes nothing. Rejects with `PortError`. */
export async function decideTurn(input: TurnInput): Promise<DecidedTurn> {
  let steps = firstSteps(input);
  for (;;) {
    const turn = await decideSteps(input, steps);
    const owed = input.whole ? owedBeside(turn.pending, input.now) : turn.pending;
    const pendingJson = owesNothing(owed) ? 'null' : JSON.stringify(owed);
    const encodedRows = turn.pending.rows.map(encodeRow);
    const rowBytes = input.whole ? encodedRows.reduce((sum, { write }) => sum + write.body.length, 0) : 0;
    if (steps.length === 1 || rowBytes + Buffer.byteLength(pendingJson) <= EFFECT_BYTES_A_TURN) {
      if (!input.whole) checkRows(encodedRows);
      return { ...turn, owed, pendingJson, encodedRows };
    }
    steps = steps.slice(0, Math.ceil(steps.length / 2));
  }
}

function firstSteps(input: TurnInput): readonly Command[] {
  const posts = new Set<string>();
  let count = 0;
  for (const step of input.steps) {
    for (const id of input.needsOf(step, input.now).posts) posts.add(id);
    if (step.type === 'CreatePost') posts.add(step.postId);
    if (count > 0 && (posts.size > POSTS_A_TURN || count === STEPS_A_TURN)) break;
    count++;
  }
  return input.steps.slice(0, count);
}

/** A row the store would refuse must be found before the head promises it, or the Workspace could never go on. */
function checkRows(rows: readonly EncodedRow[]): void {
  for (const { table, write } of rows) checkUpsert(table, [{ ...write, timestamp: turnTimestamp(1) }]);
}

async function decideSteps(input: TurnInput, steps: readonly Command[]): Promise<Omit<DecidedTurn, 'owed' | 'pendingJson' | 'encodedRows'>> {
  const { store, workspaceId, posts, mark, now } = input;
  const view = new TurnView(store, workspaceId, posts, mark);
  await view.loadAll(steps.map((step) => input.needsOf(step, now)));
  const effects: Effect[] = [];
  const rows: Omit<RowWrite, 'partition'>[] = [];
  const answers: { replyTo: string; answer: Answer }[] = [];
  const touched = new Set<string>();
  const results = new Map<string, Result>();
  // What a Workspace that is not there would need is not asked for.
  const viewOf = (command: Command, state: WorkspaceState | null) => view.of(state === null ? NO_NEEDS : input.needsOf(command, now));
  let state = input.state;
  let rest = input.steps.slice(steps.length);
  for (const [index, command] of steps.entries()) {
    // Standing twice in the log, it may stand twice in one turn.
    const known = isAsked(command) ? results.get(command.requestId) : undefined;
    if (isAsked(command) && known !== undefined) {
      answers.push({ replyTo: command.replyTo, answer: answerOf(command, known, view, state) });
      continue;
    }
    const expired = isAsked(command) && now > command.notAfter;
    const decision = expired ? null : input.decide(state, await viewOf(command, state), command, now, input.rules);
    if (decision !== null) {
      state = decision.state;
      effects.push(...decision.effects);
      view.apply(decision);
      for (const post of decision.posts) touched.add(post.id);
    }
    if (decision?.rest != null) {
      rest = [decision.rest, ...input.steps.slice(index + 1)];
      break;
    }
    if (!isAsked(command)) continue;
    const result = decision?.result ?? EXPIRED;
    results.set(command.requestId, result);
    answers.push({ replyTo: command.replyTo, answer: answerOf(command, result, view, state) });
    // A verdict that changes nothing need not be remembered; a refusal must be, or its repeat could be carried out.
    if (state !== null && !(command.type === 'CreatePost' && command.dryRun)) rows.push(resultRow(command, result));
  }
  const compiled = state === null ? { pending: NO_EFFECTS, headRows: [] } : compileEffects(effects, { ...input.rules, state, posts: view.posts, now });
  const { pending, days } = withoutKnownDays(compiled.pending, input.knownDays);
  return {
    changed: state !== null && (state !== input.state || effects.length > 0 || rows.length > 0),
    state,
    pending,
    rows: [...rows, ...compiled.headRows],
    answers,
    rest,
    handled: steps.length,
    view,
    touched,
    days,
  };
}

const EXPIRED: Result = { ok: false, code: 'outcome_unknown', message: 'The request came too late to be carried out. Nothing was done: send it again.' };

function answerOf(command: AskedCommand, result: Result, view: TurnView, state: WorkspaceState | null): Answer {
  const { requestId } = command;
  const postId = result.ok ? postNamedBy(result) : null;
  const post = postId === null ? null : view.posts.get(postId);
  return post == null || state === null ? { requestId, result } : { requestId, result, post, channels: channelsOf(post, state) };
}

function channelsOf(post: Post, state: WorkspaceState): Record<string, Channel> {
  const ids = [...new Set(post.variants.map(({ channelId }) => channelId))];
  return Object.fromEntries(ids.flatMap((id) => (state.channels[id] === undefined ? [] : [[id, state.channels[id]]])));
}

function postNamedBy(result: Extract<Result, { ok: true }>): string | null {
  if (result.kind === 'post') return result.postId;
  return result.kind === 'variant' ? postIdOfVariant(result.variantId) : null;
}

function resultRow(command: AskedCommand, result: Result): Omit<RowWrite, 'partition'> {
  return { clustering: resultKey(command.requestId), body: encodeBody(result), format: BODY_FORMAT, ttlSeconds: RESULT_TTL_SECONDS };
}

/** Every Post of a day wants the day's directory row; once is enough. */
function withoutKnownDays(pending: PendingEffects, known: ReadonlySet<string>): { pending: PendingEffects; days: string[] } {
  const days: string[] = [];
  const rows = pending.rows.filter((row) => {
    if (row.table !== POST_DAYS.name) return true;
    const key = JSON.stringify(row.clustering);
    if (known.has(key)) return false;
    days.push(key);
    return true;
  });
  return { pending: { ...pending, rows }, days };
}
