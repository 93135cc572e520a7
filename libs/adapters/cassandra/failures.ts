import { errors, types } from 'cassandra-driver';

import { PortError, type PortErrorKind } from '#ports/errors.ts';

/** The kind of call that failed: the same failure of the driver means different things to each. */
export type CassandraOperation = 'read' | 'write' | 'conditional';

const CODES = types.responseErrorCodes;
const REFUSED: readonly number[] = [
  CODES.badCredentials,
  CODES.syntaxError,
  CODES.unauthorized,
  CODES.invalid,
  CODES.configError,
  CODES.alreadyExists,
  CODES.protocolError,
];

/** Fields that the driver sets on its errors and leaves out of its types. */
interface DriverErrorFields {
  readonly code?: number;
  readonly consistencies?: number;
  readonly isSocketError?: boolean;
  readonly requestNotWritten?: boolean;
}

/**
 * Translates a failure of the driver into a `PortError`. Unless the failure proves that nothing was changed, it is
 * `unknown`.
 */
export function portErrorOf(error: unknown, operation: CassandraOperation): PortError {
  if (error instanceof PortError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new PortError(kindOf(error, operation), `Cassandra: ${message}`, { cause: error });
}

function kindOf(error: unknown, operation: CassandraOperation): PortErrorKind {
  const fields = error as DriverErrorFields;
  if (error instanceof errors.ResponseError && REFUSED.includes(fields.code ?? -1)) return 'refused';
  if (error instanceof TypeError || error instanceof errors.ArgumentError) return 'refused';
  if (operation === 'read') return 'unavailable';
  if (error instanceof errors.NoHostAvailableError) {
    return Object.values((error.innerErrors ?? {}) as Record<string, unknown>).every(neverSent)
      ? 'unavailable'
      : 'unknown';
  }
  if (error instanceof errors.ResponseError) return answeredKind(fields, operation);
  return neverSent(error) ? 'unavailable' : 'unknown';
}

function answeredKind(fields: DriverErrorFields, operation: CassandraOperation): PortErrorKind {
  switch (fields.code) {
    case CODES.isBootstrapping:
      return 'unavailable';
    case CODES.overloaded:
      // A conditional write can get this error in its last round, when the replicas have already agreed on the write.
      return operation === 'conditional' ? 'unknown' : 'unavailable';
    case CODES.unavailableException:
      // The coordinator counts replicas for the serial level before the first round of a conditional write, and for the
      // ordinary level before the last round. Only the first case proves that nothing was agreed on.
      return operation === 'write' || isSerial(fields.consistencies) ? 'unavailable' : 'unknown';
    default:
      return 'unknown';
  }
}

function isSerial(consistency: number | undefined): boolean {
  return consistency === types.consistencies.localSerial || consistency === types.consistencies.serial;
}

/**
 * True when no byte of the request can have reached a server. The driver describes a host that it skipped by a text
 * instead of an error.
 */
function neverSent(error: unknown): boolean {
  if (typeof error === 'string') return true;
  if (error === null || error === undefined) return false;
  const fields = error as DriverErrorFields;
  if (fields.isSocketError === true) return fields.requestNotWritten === true;
  return !(error instanceof errors.OperationTimedOutError) && !(error instanceof errors.ResponseError);
}
