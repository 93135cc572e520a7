import { retryWhileUnavailable } from '#concurrency/retry.ts';
import { settledWithin } from '#concurrency/deadline.ts';
import type { Cancel } from '#ports/clock.ts';
import type { Service } from '#runtime/service.ts';
import {
  ANNOUNCE_MS,
  announceProcess,
  readAnnouncedProcesses,
  type AnnouncedProcess,
} from '#tables/repositories/announced-processes.ts';
import { holdUnservedNetworks, publishersAmong, type UnservedNetworksOptions } from '#use-cases/unserved-networks.ts';
import type { Ports } from './ports.ts';

const MAX_STOP_MS = 2_000;

/**
 * Tells the other processes of the installation where this one listens, which Networks it publishes to and which keys
 * it knows: before the services that are started after it send anything, every 15 seconds, and when it ends. A row that
 * can not be renewed is kept for minutes. Each time, Networks that no process publishes to are held, or not any more.
 *
 * new -> announced (`start`; renewed by a timer) -> stopped.
 */
export function createAnnouncement(
  options: UnservedNetworksOptions & Pick<Ports, 'clock'> & { readonly isSole: boolean },
  about: Pick<AnnouncedProcess, 'address' | 'publishes' | 'secretKeys'>,
): Service {
  const { store, clock, ids, reporter, isSole } = options;
  const instance = ids.token(12);
  const ending = new AbortController();
  let version: number | null = null;
  let cancel: Cancel | null = null;
  let announcing: Promise<void> = Promise.resolve();
  const write = async (stoppedAt: number | null): Promise<void> => {
    const row = { instance, ...about, seenAt: clock.now(), stoppedAt };
    version = await announceProcess(store, row, { over: version, token: ids.token() });
  };
  /** Of a sole process nobody has to know. */
  const announce = async (): Promise<void> => {
    if (isSole) return holdUnservedNetworks(options, [about.publishes]);
    await write(null);
    const now = clock.now();
    await holdUnservedNetworks(options, publishersAmong(await readAnnouncedProcesses(store), now));
  };
  const later = (): void => {
    if (isSole || ending.signal.aborted) return;
    cancel = clock.after(ANNOUNCE_MS, () => {
      announcing = announce()
        .catch((error: unknown) => reporter.failure('process-announcement-failed', error))
        .then(later);
    });
  };
  return {
    name: 'announcement',
    start: async () => {
      await retryWhileUnavailable(() => (ending.signal.aborted ? Promise.resolve() : announce()), {
        clock,
        report: (error) => reporter.failure('engine-unavailable', error),
        mayRetry: () => true,
        signal: ending.signal,
      });
      later();
    },
    drain: async () => {},
    stop: async () => {
      ending.abort();
      cancel?.();
      if (version === null) return;
      // A renewal that is under way would say after the end that the process lives.
      const stopped = announcing
        .then(() => write(clock.now()))
        .catch((error: unknown) => reporter.failure('process-announcement-failed', error));
      await settledWithin(clock, MAX_STOP_MS, stopped);
    },
    trouble: () => null,
  };
}
