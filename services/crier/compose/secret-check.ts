import { once } from 'node:events';
import { retryWhileUnavailable } from '#concurrency/retry.ts';
import type { Service } from '#runtime/service.ts';
import { probeSecret, unknownKeysTold, unknownSealingKeys } from '#tables/repositories/secret-probe.ts';
import type { Ports } from './ports.ts';

/**
 * Holds back the services that are started after it while CRIER_SECRET is another than the installation's: they would
 * take work that they can not do. The process stays, and is not ready: ended, it would only be started again, and the
 * reason stands where an operator looks first.
 */
export function createSecretCheck({ store, secretBox, ids, clock, reporter }: Ports): Service {
  const ending = new AbortController();
  const end = async (): Promise<void> => ending.abort();
  let trouble: string | null = null;
  /** No reason to stop: nobody may know the key any more, and all else works. */
  const tellUnknownKeys = async (): Promise<void> => {
    const keys = await unknownSealingKeys(store, secretBox).catch(() => []);
    if (keys.length > 0) reporter.report('settings-warning', { detail: unknownKeysTold(keys) });
  };
  return {
    name: 'secret',
    start: async () => {
      const probe = async (): Promise<string | null> =>
        ending.signal.aborted ? null : probeSecret(store, secretBox, () => ids.token());
      trouble = await retryWhileUnavailable(probe, {
        clock,
        report: (error) => reporter.failure('engine-unavailable', error),
        // Asked to end, it is tried once more, and nothing is asked any more.
        mayRetry: () => true,
        signal: ending.signal,
      });
      if (trouble === null && !ending.signal.aborted) await tellUnknownKeys();
      if (trouble === null || ending.signal.aborted) return;
      reporter.report('secret-refused', { detail: trouble });
      await once(ending.signal, 'abort');
    },
    drain: end,
    stop: end,
    trouble: () => trouble,
  };
}
