/**
 * One operation as its caller saw it. Times are milliseconds of one monotonic clock.
 *
 * @template Input What was asked and answered, as the model takes it.
 */
export interface Operation<Input> {
  readonly invokedAt: number;
  /** Null: its outcome is not known. It may take effect at any time after it was invoked, or never. */
  readonly completedAt: number | null;
  readonly input: Input;
}

/** An object that changes by operations, one after the other, and by itself between them. */
export interface Model<State, Input> {
  readonly initial: State;
  /** The same text for the same state. */
  keyOf(state: State): string;
  /** Every state that the object can be in after the operation; none: the operation can not be answered so here. */
  step(state: State, input: Input): readonly State[];
}

/** `stuckAt`: the operations of which none can come next, at the end of the longest order that was found. */
export type Linearized<Input> =
  | { readonly ok: true }
  | { readonly ok: false; readonly placed: number; readonly stuckAt: readonly Operation<Input>[] };

/**
 * Looks for an order in which every operation takes effect at one instant between its call and its answer, so that each
 * answer is the model's (Herlihy and Wing 1990). The search is Wing and Gong's (1993), with the memory of Lowe (2017)
 * for what was tried. It takes exponential time at worst: give it the operations of one small object.
 */
export function linearize<State, Input>(
  model: Model<State, Input>,
  operations: readonly Operation<Input>[],
): Linearized<Input> {
  const sorted = operations.toSorted((one, other) => one.invokedAt - other.invokedAt);
  const all = sorted.reduce((mask, { completedAt }, index) => (completedAt === null ? mask : mask | bit(index)), 0n);
  const tried = new Set<string>();
  let furthest: { placed: number; stuckAt: readonly Operation<Input>[] } = { placed: -1, stuckAt: [] };
  const pending: { readonly done: bigint; readonly placed: number; readonly state: State }[] = [
    { done: 0n, placed: 0, state: model.initial },
  ];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { done, placed, state } = at;
    if ((done & all) === all) return { ok: true };
    const key = `${done}:${model.keyOf(state)}`;
    if (tried.has(key)) continue;
    tried.add(key);
    const next = candidates(sorted, done);
    if (placed > furthest.placed) furthest = { placed, stuckAt: next.map((index) => sorted[index]!) };
    for (const index of next.toReversed())
      for (const after of model.step(state, sorted[index]!.input))
        pending.push({ done: done | bit(index), placed: placed + 1, state: after });
  }
  return { ok: false, ...furthest };
}

/** Those not placed yet that were invoked before any other of them was answered. */
function candidates(sorted: readonly Operation<unknown>[], done: bigint): readonly number[] {
  const found: number[] = [];
  let firstAnswer = Infinity;
  for (const [index, { invokedAt, completedAt }] of sorted.entries()) {
    if (invokedAt > firstAnswer) break;
    if ((done & bit(index)) !== 0n) continue;
    found.push(index);
    firstAnswer = Math.min(firstAnswer, completedAt ?? Infinity);
  }
  return found;
}

function bit(index: number): bigint {
  return 1n << BigInt(index);
}
