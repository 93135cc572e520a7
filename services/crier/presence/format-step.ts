import { generationOf } from '#tables/release.ts';
import type { ProcessRow } from '#tables/repositories/processes.ts';

/** What is to become of the format that an installation writes; `why` is for operators. */
export type FormatStep =
  /** Every process can read `to`. `needsOperator`: afterwards the release before can not be started any more. */
  | { readonly kind: 'raise'; readonly to: number; readonly needsOperator: boolean; readonly why: string }
  /** A process writes no newer format than `to`. */
  | { readonly kind: 'lower'; readonly to: number; readonly why: string }
  | { readonly kind: 'stay'; readonly why: string };

/**
 * Judges by the processes that were seen lately. A format that only adds is raised by itself, because it can be lowered
 * again; a new generation closes the way back to the release before it, and so is for an operator to order.
 */
export function formatStep(written: number, processes: readonly ProcessRow[]): FormatStep {
  const oldest = processes.toSorted((a, b) => a.format - b.format)[0];
  if (oldest === undefined) return { kind: 'stay', why: 'no process was seen lately' };
  const { format, instance, version } = oldest;
  if (format > written) {
    const needsOperator = generationOf(format) > generationOf(written);
    const why = needsOperator
      ? `every process reads format ${format}, which the release before can not: to write it, and to give up going back, call cluster.raiseFormat`
      : `every process reads format ${format}: it is written once they have all been seen for long enough`;
    return { kind: 'raise', to: format, needsOperator, why };
  }
  if (processes.every((each) => each.format === written))
    return { kind: 'stay', why: 'every process writes its newest' };
  if (format === written)
    return { kind: 'stay', why: `${instance} (release ${version}) knows no newer format than ${format}` };
  if (generationOf(format) < generationOf(written))
    return { kind: 'stay', why: `${instance} (release ${version}) can not read format ${written}, and is to end` };
  return { kind: 'lower', to: format, why: `${instance} (release ${version}) writes no newer format than ${format}` };
}
