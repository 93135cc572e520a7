import { NETWORKS, type Network } from '#domain/network.ts';
import type { HoldScope } from '#domain/publishing-holds.ts';
import type { WorldPorts } from '#ports/ports.ts';
import type { AnnouncedProcess } from '#tables/repositories/announced-processes.ts';
import type { PublishingBrake } from '#tables/repositories/publishing-brake.ts';
import { holdScope, readHolds, releaseScope } from '#tables/repositories/publishing-holds.ts';

export interface UnservedNetworksOptions extends Pick<WorldPorts, 'store' | 'clock' | 'ids' | 'reporter'> {
  readonly brake: Pick<PublishingBrake, 'forget'>;
}

/** A process that ended in order, or was killed, may be on its way back for so long: its topics keep its jobs. */
const RESTART_MS = 60_000;
const UNSEEN_MS = 120_000;

/** What each process publishes to, of those that run or are being restarted. */
export function publishersAmong(
  processes: readonly AnnouncedProcess[],
  now: number,
): readonly AnnouncedProcess['publishes'][] {
  return processes
    .filter(({ stoppedAt, seenAt }) => (stoppedAt ?? now) > now - RESTART_MS && seenAt > now - UNSEEN_MS)
    .map(({ publishes }) => publishes)
    .filter((networks) => networks.length > 0);
}

/**
 * Holds each Network that no process publishes to, and ends that hold once one does: a job in a topic that nobody reads
 * would leave its Variant `publishing` for good, and its missed window would pass. Where nobody publishes at all,
 * nothing is held: then the publishers are down, and their topics keep what they left. Repeatable, by any process at
 * any time. Rejects with `PortError`.
 */
export async function holdUnservedNetworks(
  options: UnservedNetworksOptions,
  publishers: readonly (readonly Network[])[],
): Promise<void> {
  const { store, clock, brake, reporter } = options;
  if (publishers.length === 0) return;
  const { holds } = await readHolds(store);
  const held = new Set(holds.filter(({ holder }) => holder === 'crier').map(({ network }) => network));
  for (const network of NETWORKS) {
    const isServed = publishers.some((served) => served.includes(network));
    if (isServed !== held.has(network)) continue;
    const scope: HoldScope = { network, workspaceId: null };
    const reason = `No process publishes to ${network}: CRIER_PUBLISH_NETWORKS of all of them leaves it out.`;
    const facts = { network, workspaceId: '*', by: 'crier', reason };
    if (isServed) {
      await releaseScope(options, { ...scope, holder: 'crier' }, clock.now());
      reporter.report('publishing-released', facts);
    } else {
      await holdScope(options, { ...scope, holder: 'crier', reason, since: clock.now(), by: 'crier' });
      reporter.report('publishing-held', facts);
    }
    brake.forget();
  }
}
