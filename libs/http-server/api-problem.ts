import type { Blocker, Upgrade } from '#domain/workspace/results.ts';
import type { ErrorCode } from '#schemas/http/errors.ts';

/** Why a call was not carried out, the same for every transport. */
export interface ApiProblem {
  readonly code: ErrorCode;
  /** For a person; says what to do about it where that is known. */
  readonly message: string;
  readonly blockers?: readonly Blocker[];
  readonly upgrade?: Upgrade;
  /** Whole seconds. */
  readonly retryAfterSeconds?: number;
  /** The cause, for the log of operators; never part of an answer. */
  readonly behind?: string;
}
