import { errors, types } from 'cassandra-driver';
import { describe, expect, it } from 'vitest';

import { portErrorOf, type CassandraOperation } from './failures.ts';

const codes = types.responseErrorCodes;
const { localQuorum, localSerial } = types.consistencies;
const answered = (code: number, consistencies = localQuorum) =>
  Object.assign(new errors.ResponseError(code, 'said the server'), { consistencies });
const socket = (requestNotWritten: boolean) =>
  Object.assign(new Error('socket closed'), { isSocketError: true, requestNotWritten });
const noHost = (...inner: unknown[]) =>
  new errors.NoHostAvailableError(Object.fromEntries(inner.map((error, i) => [`10.0.0.${i}`, error])), 'no host');
const timedOut = new errors.OperationTimedOutError('late');

describe('a failure of the driver', () => {
  it.each<[string, unknown, string, string, string]>([
    ['time-out at the client', timedOut, 'unavailable', 'unknown', 'unknown'],
    ['time-out of a write', answered(codes.writeTimeout), 'unavailable', 'unknown', 'unknown'],
    ['failure of a write', answered(codes.writeFailure), 'unavailable', 'unknown', 'unknown'],
    ['internal error', answered(codes.serverError), 'unavailable', 'unknown', 'unknown'],
    ['overload', answered(codes.overloaded), 'unavailable', 'unavailable', 'unknown'],
    [
      'too few replicas to begin',
      answered(codes.unavailableException, localSerial),
      'unavailable',
      'unavailable',
      'unavailable',
    ],
    [
      'too few replicas to end',
      answered(codes.unavailableException, localQuorum),
      'unavailable',
      'unavailable',
      'unknown',
    ],
    ['connection lost before sending', socket(true), 'unavailable', 'unavailable', 'unavailable'],
    ['connection lost after sending', socket(false), 'unavailable', 'unknown', 'unknown'],
    ['every host down', noHost('Host considered as DOWN', socket(true)), 'unavailable', 'unavailable', 'unavailable'],
    ['no host known', noHost(), 'unavailable', 'unavailable', 'unavailable'],
    [
      'a host that was asked and failed, then no host',
      noHost(socket(false), 'Host considered as DOWN'),
      'unavailable',
      'unknown',
      'unknown',
    ],
    ['a host that answered late, then no host', noHost(timedOut), 'unavailable', 'unknown', 'unknown'],
    ['statement that the server rejects', answered(codes.invalid), 'refused', 'refused', 'refused'],
    ['missing permission', answered(codes.unauthorized), 'refused', 'refused', 'refused'],
  ])('%s: read, write, conditional write', (_, error, read, write, conditional) => {
    const kinds = (['read', 'write', 'conditional'] satisfies CassandraOperation[]).map(
      (operation) => portErrorOf(error, operation).kind,
    );
    expect(kinds).toEqual([read, write, conditional]);
  });
});
