import { isRequested, type RequestedCommand } from '#domain/workspace/commands.ts';
import type { TurnStep } from '#domain/workspace/turn-step.ts';
import type { Effect } from '#domain/workspace/effects.ts';
import type { Channel } from '#domain/channel/channel.ts';
import type { Post } from '#domain/post/post.ts';
import { postIdOfVariant } from '#domain/post/ids.ts';
import { isBegun } from '#domain/workspace/member-rights.ts';
import { NO_LOADS, type Loads } from '#domain/workspace/loads.ts';
import type { CommandAnswer, Result } from '#domain/workspace/results.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { Decide, Decision, DecisionInput } from '#domain/workspace/decision.ts';
import type { RowWrite } from '#ports/table.ts';
import { roughBytesOf } from '#domain/post/weight.ts';
import { refuse, unchanged } from '#domain/workspace/decision-context.ts';
import { encodeRow } from '#outbox/relay.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { detachEventBodies } from '#outbox/event-bodies.ts';
import { NO_EFFECTS, isEmptyOutbox, type PendingEffects, type RowEffect } from '#tables/rows/pending-effects.ts';
import { RECENT_CHANGES } from '#tables/declarations/tables.ts';
import { heldWorkspaceRow } from '#tables/repositories/held-variants.ts';
import { neededReconnectRows } from '#tables/repositories/needed-reconnects.ts';
import { boundedIds, changeRow } from '#tables/repositories/recent-changes.ts';
import { NOTHING_PENDING, resultKey } from '#tables/repositories/workspaces.ts';
import { compileEffects, type CompileContext, type CompiledEffects } from './compile-effects.ts';
import { placeRows } from './place-rows.ts';
import { halvesOf } from './steps.ts';
import { bytesToWrite, growthReason, oversizeReason } from './turn-size.ts';
import { outboxBeside } from './turn-effects.ts';
import type { DecidedTurn, TurnInput } from './decided-turn.ts';
import { TurnView } from './view.ts';

/** Posts that the steps of a turn name: they are all loaded before the first step is decided. */
const POSTS_A_TURN = 100;
const STEPS_A_TURN = 400;
/** What a turn writes, unless one step alone writes more. */
const BYTES_A_TURN = 512 * 1024;
const NO_BYTES = new Uint8Array(0);
/** Results are kept for callers whose hint was lost, and for commands that stand twice in the log. */
const RESULT_TTL_SECONDS = 600;

/** A turn whose head is not encoded yet. */
type DecidedSteps = Omit<DecidedTurn, 'outbox' | 'head' | 'outboxBytes' | 'encodedRows' | 'isCut' | 'oversize'>;

/**
 * Decides as many steps as fit one turn, at least one. A step that does not fit alone is cut in two, if it can be, and
 * else is refused with `too_large` or, as a report, left out: nothing of it may be in the outbox, or the Workspace
 * could never go on. Writes nothing. Rejects with `PortError`.
 */
export async function decideTurn(given: TurnInput): Promise<DecidedTurn> {
  if (given.limit.refusal !== null) return withoutFirst(given, given.limit.refusal);
  let input = given;
  let steps = firstSteps(input);
  for (let isCut = false; ; isCut = true) {
    const turn = encodeTurn(input, await decideSteps(input, steps));
    const tooMuch = turn.handled > 1 && bytesToWrite(turn, input.atom) > BYTES_A_TURN ? 'more than a turn takes' : null;
    const oversize =
      tooMuch ?? growthReason(turn, steps.slice(0, turn.handled), input.state) ?? oversizeReason(turn, input.atom);
    if (oversize === null) return { ...turn, isCut };
    if (turn.handled > 1) {
      steps = steps.slice(0, Math.ceil(turn.handled / 2));
      continue;
    }
    const [step, ...others] = input.steps;
    const halves = halvesOf(step!);
    if (halves === null) return withoutFirst(input, oversize);
    input = { ...input, steps: [...halves, ...others] };
    steps = [halves[0]];
  }
}

function outboxOf({ atom, now }: TurnInput, pending: PendingEffects): PendingEffects {
  if (atom === 'store_and_log') return NO_EFFECTS;
  return atom === 'store' ? outboxBeside(pending, now) : pending;
}

function encodeTurn(input: TurnInput, decided: DecidedSteps): DecidedTurn {
  const { outbox, rows } = detachEventBodies(outboxOf(input, decided.pending));
  const outboxJson = isEmptyOutbox(outbox) ? NOTHING_PENDING : JSON.stringify(outbox);
  const head = decided.isChanged ? input.heads.encodeHead(decided.state!, outboxJson) : NO_BYTES;
  const encodedRows = decided.pending.rows.map((row) => encodeRow(row, decided.pending.format));
  return {
    ...decided,
    outbox,
    head,
    outboxBytes: Buffer.byteLength(outboxJson),
    rows: [...decided.rows, ...rows],
    encodedRows,
    isCut: false,
    oversize: null,
  };
}

/**
 * The first step without its effects: refused, or, as a report that has no result, left out and handed back as
 * `oversize`. The head is written all the same: only an owner whose compare-and-set is taken may refuse a step.
 */
async function withoutFirst(input: TurnInput, reason: string): Promise<DecidedTurn> {
  const [step] = input.steps;
  const asked = isRequested(step!);
  const decideNothing: Decide = (_, { state }) => (asked ? refuse(state, 'too_large', TOO_LARGE) : unchanged(state));
  const decided = await decideSteps({ ...input, decide: decideNothing }, [step!]);
  const turn = encodeTurn(input, { ...decided, isChanged: decided.state !== null });
  return { ...turn, isCut: true, oversize: asked ? null : { step: step!, reason } };
}

function firstSteps(input: TurnInput): readonly TurnStep[] {
  const posts = new Set<string>();
  const maxSteps = Math.min(STEPS_A_TURN, input.limit.maxSteps);
  let count = 0;
  for (const step of input.steps) {
    for (const id of input.loadsOf(step, input.now).posts) posts.add(id);
    if (step.type === 'CreatePost') posts.add(step.postId);
    if (count > 0 && (posts.size > POSTS_A_TURN || count === maxSteps)) break;
    count++;
  }
  return input.steps.slice(0, count);
}

async function decideSteps(input: TurnInput, steps: readonly TurnStep[]): Promise<DecidedSteps> {
  const { now, rules } = input;
  const view = new TurnView(input);
  const [brake] = await Promise.all([brakeOf(input), view.loadAll(steps.map((step) => input.loadsOf(step, now)))]);
  const effects: Effect[] = [];
  const rows: Omit<RowWrite, 'partition'>[] = [];
  const answers: { replyTo: string; answer: CommandAnswer }[] = [];
  const changedPostIds = new Set<string>();
  const results = new Map<string, Result>();
  const traces = steps.some(({ trace }) => trace !== undefined) ? new Map<Effect, string>() : undefined;
  let state = input.state;
  let handled = 0;
  let remaining: readonly TurnStep[] = [];
  // Weighed by the lengths of texts while deciding: a turn that is found too large only once it is encoded is decided
  // again with half of its steps, again and again.
  let room = BYTES_A_TURN;
  const written = new Set<string>();
  for (const command of steps) {
    if (handled > 0 && room <= 0) break;
    await input.yieldToOthers();
    handled += 1;
    // A command that stands twice in the log may stand twice in one turn.
    const known = isRequested(command) ? results.get(command.requestId) : undefined;
    if (isRequested(command) && known !== undefined) {
      answers.push({ replyTo: command.replyTo, answer: answerOf(command, known, view, state) });
      continue;
    }
    const expired = isRequested(command) && now > command.notAfter && !(state !== null && isBegun(state, command));
    const decision = expired
      ? null
      : input.decide(command, { state, view: await view.of(loadsOf(input, command, state)), now, rules, ...brake });
    if (decision !== null) {
      state = decision.state;
      effects.push(...decision.effects);
      if (command.trace !== undefined) for (const effect of decision.effects) traces?.set(effect, command.trace);
      room -= roughWeight(decision.effects, written);
      view.apply(decision);
      for (const id of changedIn(decision)) changedPostIds.add(id);
    }
    if (decision?.rest != null) {
      remaining = [inTraceOf(command, decision.rest)];
      break;
    }
    if (!isRequested(command)) continue;
    const result = decision?.result ?? EXPIRED;
    results.set(command.requestId, result);
    answers.push({ replyTo: command.replyTo, answer: answerOf(command, result, view, state) });
    // A dry run changes nothing, so its result is not kept; a refusal is, or its repeat could be carried out.
    if (state === null || (command.type === 'CreatePost' && command.dryRun)) continue;
    const row = resultRow(command, result);
    room -= row.body.length;
    rows.push(row);
  }
  view.rememberRead(changedPostIds);
  const { pending, headRows, periods } = await compileTurn(input, { state, view, effects, changedPostIds, traces });
  return {
    isChanged: state !== null && (state !== input.state || effects.length > 0 || rows.length > 0),
    state,
    pending,
    rows: [...rows, ...headRows],
    answers,
    remaining: [...remaining, ...input.steps.slice(handled)],
    handled,
    view,
    changedPostIds,
    periods,
  };
}

function loadsOf(input: TurnInput, command: TurnStep, state: WorkspaceState | null): Loads {
  // Without a Workspace there is nothing to load.
  return state === null ? NO_LOADS : input.loadsOf(command, input.now);
}

function changedIn({ posts, effects }: Pick<Decision, 'posts' | 'effects'>): readonly string[] {
  const removed = effects.flatMap((effect) => (effect.kind === 'post-removed' ? [effect.post.id] : []));
  return [...posts.map(({ id }) => id), ...removed];
}

/** What is left of a command belongs to its trace. */
function inTraceOf({ trace }: TurnStep, rest: TurnStep): TurnStep {
  return trace === undefined ? rest : { ...rest, trace };
}

/** A Workspace may know of a hold this late: the publisher reads the holds again before it sends. */
const HOLDS_MAX_AGE_MS = 1_000;

async function brakeOf({ brake, workspaceId }: TurnInput): Promise<Pick<DecisionInput, 'holds' | 'restoration'>> {
  const { periods, restoration } = await brake.known(HOLDS_MAX_AGE_MS);
  const holds = periods.filter((period) => period.workspaceId === null || period.workspaceId === workspaceId);
  return { holds, restoration };
}

interface DecidedEffects {
  readonly state: WorkspaceState | null;
  readonly view: TurnView;
  readonly effects: readonly Effect[];
  readonly changedPostIds: ReadonlySet<string>;
  readonly traces: CompileContext['traces'];
}

/** What the turn owes: what its decisions caused, and the rows that follow from the states before and after it. */
async function compileTurn(
  input: TurnInput,
  { state, view, effects, changedPostIds, traces }: DecidedEffects,
): Promise<CompiledEffects & Pick<DecidedTurn, 'periods'>> {
  if (state === null) return { pending: NO_EFFECTS, headRows: [], periods: new Map() };
  const { now, format } = input;
  const placed = await placeRows(input, effects, view.posts);
  for (const post of placed.posts) view.posts.set(post.id, post);
  const { auditEnds, directory } = placed;
  const context = { ...input.rules, state, posts: view.posts, now, format, traces, auditEnds, directory };
  const { pending, headRows } = compileEffects(effects, context);
  const rows = [
    ...pending.rows,
    ...changeRows(input, effects, changedPostIds),
    ...heldRows(input.state, state),
    ...neededReconnectRows(input.state, state),
  ];
  return { pending: { ...pending, rows }, headRows, periods: placed.periods };
}

/** The row by which the releases of holds find a Workspace with held Variants, where the turn changed it. */
function heldRows(before: WorkspaceState | null, after: WorkspaceState): readonly RowEffect[] {
  const isChanged = before?.held !== after.held || (after.held !== undefined && before?.channels !== after.channels);
  return isChanged ? [heldWorkspaceRow(after)] : [];
}

/** The row that tells open pages which Posts the turn changed, and whether it changed Channels. */
function changeRows(
  { workspaceId, version, now }: TurnInput,
  effects: readonly Effect[],
  changedPostIds: ReadonlySet<string>,
): readonly RowEffect[] {
  const channels = effects.some(({ kind }) => kind === 'channels-changed');
  if (changedPostIds.size === 0 && !channels) return [];
  const postIds = boundedIds(changedPostIds);
  return [{ table: RECENT_CHANGES.name, ...changeRow(workspaceId, { version, at: now, postIds, channels }) }];
}

/** An entry of the audit is bounded, and seldom larger. */
const AUDIT_ENTRY_BYTES = 512;

/**
 * About how many bytes effects add to a turn, by what is large in them: an event holds its whole Post, and a Post's
 * content is one row. `written`: Posts whose row is counted.
 */
function roughWeight(effects: readonly Effect[], written: Set<string>): number {
  let bytes = 0;
  for (const effect of effects) {
    if (effect.kind === 'audit') bytes += AUDIT_ENTRY_BYTES;
    if (effect.kind === 'outcome') bytes += roughBytesOf(effect.post);
    if ((effect.kind !== 'post-created' && effect.kind !== 'content-changed') || written.has(effect.post.id)) continue;
    written.add(effect.post.id);
    bytes += roughBytesOf(effect.post);
  }
  return bytes;
}

const TOO_LARGE =
  'This is too large for the Workspace beside all that it has. Nothing was done: send less, or remove what is not needed any more.';
const EXPIRED: Result = {
  ok: false,
  code: 'outcome_unknown',
  message: 'The request came too late to be carried out. Nothing was done: send it again.',
};

function answerOf(
  command: RequestedCommand,
  result: Result,
  view: TurnView,
  state: WorkspaceState | null,
): CommandAnswer {
  const { requestId } = command;
  const postId = result.ok ? postNamedBy(result) : null;
  const post = postId === null ? null : view.posts.get(postId);
  return post == null || state === null
    ? { requestId, result }
    : { requestId, result, post, channels: channelsOf(post, state) };
}

function channelsOf(post: Post, state: WorkspaceState): Record<string, Channel> {
  const ids = [...new Set(post.variants.map(({ channelId }) => channelId))];
  return Object.fromEntries(ids.flatMap((id) => (state.channels[id] === undefined ? [] : [[id, state.channels[id]]])));
}

function postNamedBy(result: Extract<Result, { ok: true }>): string | null {
  if (result.kind === 'post') return result.postId;
  return result.kind === 'variant' ? postIdOfVariant(result.variantId) : null;
}

function resultRow(command: RequestedCommand, result: Result): Omit<RowWrite, 'partition'> {
  return {
    clustering: resultKey(command.requestId),
    body: encodeBody(result),
    format: BODY_FORMAT,
    ttlSeconds: RESULT_TTL_SECONDS,
  };
}
