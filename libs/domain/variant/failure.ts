import type { FailureReason } from '../post/post.ts';

/**
 * Why something certainly was not published. `retry`: `never`; `later`: again after `delayMs`, without a person;
 * `once`: as `later`, unless this attempt was refused before; `refresh`: once more with a refreshed token;
 * `afterReconnect`: a person must reconnect the Channel first.
 */
export interface Failure {
  readonly reason: Exclude<FailureReason, 'unconfirmed'>;
  /** What the Network said; no tokens. */
  readonly detail: string;
  readonly retry: 'never' | 'later' | 'once' | 'refresh' | 'afterReconnect';
  /** With `later` and `once`: when the Network says, or a default of the adapter. */
  readonly delayMs?: number;
  /** With `later`: no further try so many milliseconds after the attempt was due, though its window is open longer. */
  readonly giveUpAfterMs?: number;
  /**
   * The Network says that it has this already. After an attempt whose outcome is unknown this is no refusal but
   * evidence: reconcile with that attempt's `ArmedCall` before believing it.
   */
  readonly duplicate?: true;
  /**
   * Only this call certainly published nothing: one before it, of the same attempt, may still go live. An attempt that
   * ends here, without another try, ends as unconfirmed.
   */
  readonly mayBeLive?: true;
}
