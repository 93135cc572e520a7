import type { Model } from './linearizable.ts';

/**
 * Where a Variant stands, as the specification's table of statuses has it: `unconfirmed` is `failed` with that reason,
 * which a late proof still makes `published`.
 */
export type Standing = 'scheduled' | 'publishing' | 'published' | 'failed' | 'unconfirmed' | 'cancelled';

/** What a request to one Post said. `standings`: of its Variants, in their order. */
export type PostInput =
  | { readonly kind: 'create' | 'read' | 'cancel'; readonly standings: readonly Standing[] }
  | { readonly kind: 'retry'; readonly variant: number; readonly standing: Standing }
  /** 404: the Post does not exist. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'cancel refused' }
  | { readonly kind: 'retry refused'; readonly variant: number }
  /** No answer, or one that does not say what became of it. */
  | { readonly kind: 'create unknown'; readonly variants: number }
  | { readonly kind: 'cancel unknown' }
  | { readonly kind: 'retry unknown'; readonly variant: number };

/** Null before it is created. */
export type PostState = readonly Standing[] | null;

/** Where a Variant may go without a request, in one step. */
const BY_ITSELF: Readonly<Record<Standing, readonly Standing[]>> = {
  scheduled: ['publishing', 'failed'],
  publishing: ['published', 'failed', 'unconfirmed'],
  published: [],
  failed: [],
  unconfirmed: ['published'],
  cancelled: [],
};

const REACHED = new Map<Standing, ReadonlySet<Standing>>(
  (Object.keys(BY_ITSELF) as Standing[]).map((from) => [from, reachedFrom(from)]),
);

/** A Post to which requests come one after the other, and whose Variants are published in between. */
export const POST_MODEL: Model<PostState, PostInput> = {
  initial: null,
  keyOf: (state) => state?.join() ?? 'absent',
  step(state, input) {
    if (input.kind === 'absent') return state === null ? [null] : [];
    if (input.kind === 'create') {
      const created = state ?? input.standings.map(() => 'scheduled' as const);
      return arrivesAt(created, input.standings);
    }
    if (input.kind === 'create unknown')
      return [state ?? Array.from({ length: input.variants }, () => 'scheduled' as const)];
    // What is asked of a Post that does not exist is answered with 404, and changes nothing.
    if (state === null) return input.kind.endsWith('unknown') ? [null] : [];
    switch (input.kind) {
      case 'read':
        return arrivesAt(state, input.standings);
      case 'cancel':
        return cancelled(state).flatMap((after) => arrivesAt(after, input.standings));
      case 'cancel unknown':
        return cancelled(state);
      case 'cancel refused':
        return later(state).filter((after) => !after.includes('scheduled'));
      case 'retry':
        return queued(state, input.variant).flatMap((after) =>
          later(after).filter((standings) => standings[input.variant] === input.standing),
        );
      case 'retry unknown':
        return queued(state, input.variant);
      case 'retry refused':
        return later(state).filter(
          (after) => after[input.variant] !== 'failed' && after[input.variant] !== 'unconfirmed',
        );
    }
  },
};

/** The states that the Post can get to by itself, itself among them. */
function later(state: readonly Standing[]): readonly (readonly Standing[])[] {
  return state.reduce<readonly (readonly Standing[])[]>(
    (states, standing) => states.flatMap((before) => [...REACHED.get(standing)!].map((next) => [...before, next])),
    [[]],
  );
}

function arrivesAt(state: readonly Standing[], standings: readonly Standing[]): readonly (readonly Standing[])[] {
  return state.length === standings.length && state.every((from, index) => REACHED.get(from)!.has(standings[index]!))
    ? [standings]
    : [];
}

/** After a cancel, which ends what is scheduled and needs something that is. */
function cancelled(state: readonly Standing[]): readonly (readonly Standing[])[] {
  return later(state)
    .filter((at) => at.includes('scheduled'))
    .map((at) => at.map((standing) => (standing === 'scheduled' ? 'cancelled' : standing)));
}

/** After a retry, which needs a Variant that failed. */
function queued(state: readonly Standing[], variant: number): readonly (readonly Standing[])[] {
  return later(state)
    .filter((at) => at[variant] === 'failed' || at[variant] === 'unconfirmed')
    .map((at) => at.with(variant, 'scheduled'));
}

function reachedFrom(from: Standing): ReadonlySet<Standing> {
  const reached = new Set<Standing>([from]);
  for (const standing of reached) for (const next of BY_ITSELF[standing]) reached.add(next);
  return reached;
}
