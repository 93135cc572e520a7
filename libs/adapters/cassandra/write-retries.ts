import { policies } from 'cassandra-driver';

import { PortError } from '#ports/errors.ts';
import { portErrorOf } from './failures.ts';

type OnRequestError = policies.retry.RetryPolicy['onRequestError'];

/**
 * The tries of one repeatable write, at one node after another as the driver decides by itself. It tells only how the
 * last one failed, which says nothing of what the nodes before did: one that did not answer in time may have made it.
 */
export class WriteRetries extends policies.retry.RetryPolicy {
  #mayBeMade = false;

  override onRequestError(...[info, consistency, error]: Parameters<OnRequestError>): ReturnType<OnRequestError> {
    if (portErrorOf(error, 'write').kind === 'unknown') this.#mayBeMade = true;
    return super.onRequestError(info, consistency, error);
  }

  /** The failure of the write, by the failure of its last try. */
  portErrorOf(last: unknown): PortError {
    const error = portErrorOf(last, 'write');
    return this.#mayBeMade && error.kind !== 'unknown'
      ? new PortError('unknown', error.message, { cause: last })
      : error;
  }
}
