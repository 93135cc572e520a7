import type { Response } from 'express';
import type { ApiProblem } from '#http-server/api-problem.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { StrangerLimits } from '#use-cases/stranger-limits.ts';

export interface StrangerCountOptions {
  readonly strangers: Pick<StrangerLimits, 'take'>;
  readonly reporter: Pick<Reporter, 'report'>;
}

/**
 * Counts by address who came to a page of connecting and has shown nothing that opens anything. Null: it may be
 * answered; otherwise it is refused, and the response says when to come again.
 */
export function countStranger(
  { strangers, reporter }: StrangerCountOptions,
  client: string | undefined,
  response: Response,
): ApiProblem | null {
  const refused = strangers.take(client);
  if (refused === null) return null;
  reporter.report('stranger-refused', { door: 'connect', client });
  response.setHeader('Retry-After', String(refused.retryAfterSeconds));
  return refused;
}
