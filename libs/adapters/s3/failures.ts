import { S3ServiceException } from '@aws-sdk/client-s3';
import { PortError, type PortErrorKind } from '#ports/errors.ts';

/** The store has no such object, as HEAD (without a body) and GET report it. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof S3ServiceException &&
    (error.$metadata.httpStatusCode === 404 || error.name === 'NoSuchKey' || error.name === 'NotFound')
  );
}

/** The range begins past the end. */
export function isBeyondEnd(error: unknown): boolean {
  return (
    error instanceof S3ServiceException && (error.$metadata.httpStatusCode === 416 || error.name === 'InvalidRange')
  );
}

/** Translates the client's error to a `PortError`. `lost`: the outcome of a call that got no answer. */
export function portErrorOf(error: unknown, lost: PortErrorKind): PortError {
  if (error instanceof PortError) return error;
  const answered = error instanceof S3ServiceException && (error.$metadata.httpStatusCode ?? 500) < 500;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new PortError(answered ? 'unavailable' : lost, `object storage: ${message}`, { cause: error });
}

/** Runs `work`, with its failures as `PortError`. */
export async function guard<T>(work: () => Promise<T>, lost: PortErrorKind = 'unavailable'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw portErrorOf(error, lost);
  }
}
