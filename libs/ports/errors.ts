/**
 * The outcome of a port's call that failed.
 * - `refused`: nothing was changed and the same call will be refused again (too large, wrong clock, malformed).
 * - `unavailable`: nothing was changed; the call may succeed later.
 * - `unknown`: it may have been done or not (time-out, connection lost after sending). Read back before acting on it.
 */
export type PortErrorKind = 'refused' | 'unavailable' | 'unknown';

export class PortError extends Error {
  override readonly name = 'PortError';
  readonly kind: PortErrorKind;

  constructor(kind: PortErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
