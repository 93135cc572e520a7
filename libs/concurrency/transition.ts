import assert from 'node:assert/strict';

/** For each state the states that may follow it. A state that may be entered again names itself. */
export type Transitions<S extends string> = Readonly<Record<S, readonly S[]>>;

/**
 * The state `to`, which must be one that may follow `from`: `this.#mode = transition('a lane', MODES, this.#mode,
 * 'running')`. Throws an `AssertionError` otherwise: a defect of ours that must not go on unnoticed.
 */
export function transition<S extends string>(of: string, transitions: Transitions<S>, from: S, to: S): S {
  if (!transitions[from].includes(to)) assert.fail(`${of} can not go from ${from} to ${to}`);
  return to;
}
