import type { Clock } from '#ports/clock.ts';
import type { Ids } from '#ports/ids.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { done, settled } from './outcome.ts';
import type { RateLimiter } from '#rate-limit/rate-limiter.ts';
import type { Admission } from '#rate-limit/rate-limit-options.ts';

export interface CountAddressesOptions {
  /** By Workspace; null: addresses are not limited. */
  readonly addressLimiter: Pick<RateLimiter, 'admit'> | null;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Ids;
  readonly reporter: Reporter;
}

/**
 * Counts the addresses that each of some Posts names against their Workspace. Null for a Post whose addresses may be
 * asked: all of them, or none are counted. All Posts together are one claim, as long as there is room for all; else
 * each is one.
 */
export async function countAddresses(
  workspaceId: string,
  counts: readonly number[],
  options: CountAddressesOptions,
): Promise<readonly (ApiProblem | null)[]> {
  const { addressLimiter: limiter, clock, ids, reporter } = options;
  const all = counts.reduce((sum, count) => sum + count, 0);
  if (limiter === null || all === 0) return counts.map(() => null);
  // No credential's id has a slash.
  const admit = (uses: number): Promise<Admission> =>
    limiter.admit(`addresses/${workspaceId}`, ids.uuid7(clock.now()), uses);
  const counted = await settled('read', async () => {
    const together = await admit(all);
    if (together.admitted) return done(counts.map(() => null));
    const some = counts.filter((count) => count > 0).length;
    return done(
      await Promise.all(
        counts.map(async (uses) => (uses === 0 ? null : refusalOf(uses, some === 1 ? together : await admit(uses)))),
      ),
    );
  });
  const problems = counted.ok ? counted.value : counts.map((count) => (count === 0 ? null : counted.problem));
  const refused = counts
    .filter((_count, index) => problems[index]?.code === 'rate_limited')
    .reduce((sum, count) => sum + count, 0);
  if (refused > 0) reporter.report('addresses-rate-limited', { addresses: refused, workspaceId });
  return problems;
}

function refusalOf(uses: number, { admitted, limit, resetSeconds }: Admission): ApiProblem | null {
  if (admitted) return null;
  const message =
    uses > limit
      ? `This Post names ${uses} addresses of files, and the Posts of a Workspace may name ${limit} a minute. Please upload files instead.`
      : `The Posts of a Workspace may name ${limit} addresses of files a minute, those that are only validated too. Please try again in ${resetSeconds} ${resetSeconds === 1 ? 'second' : 'seconds'}.`;
  return { code: 'rate_limited', message, retryAfterSeconds: resetSeconds };
}
