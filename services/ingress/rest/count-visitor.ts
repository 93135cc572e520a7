import type { Response } from 'express';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { countStranger, type CountStrangerOptions } from '#use-cases/stranger-limits.ts';

/**
 * Counts by address who came to a page that connects a Channel and has shown nothing that opens one. Null: the request
 * may be answered; otherwise it is refused, and the response says when to come again.
 */
export function countVisitor(
  options: CountStrangerOptions,
  client: string | undefined,
  response: Response,
): ApiProblem | null {
  const refused = countStranger(options, 'connect', client);
  if (refused !== null) response.setHeader('Retry-After', String(refused.retryAfterSeconds));
  return refused;
}
