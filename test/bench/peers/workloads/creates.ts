import { sendLoad } from '../../load.ts';
import type { LoadJob } from '../../load-job.ts';
import type { Api, ApiHome } from '../peer.ts';
import type { Figures, PeerRun } from './peer-run.ts';

const DAY_MS = 86_400_000;
/** Of a Workspace in which Posts are created: each Post has a Variant on each. */
export const CHANNELS = 2;

type Pace = Pick<LoadJob, 'clients' | 'warmUp' | 'measured'>;

async function create(run: PeerRun, api: Api, homes: readonly ApiHome[], label: string, pace: Pace) {
  const before = run.meter.cpuMs();
  const result = await sendLoad({
    url: api.url(),
    ...pace,
    ratePerSecond: null,
    requests: {
      kind: 'create',
      homes: homes.map(({ key, channelIds }) => ({ keys: [key], channelIds })),
      label,
      due: { from: Date.now() + DAY_MS },
    },
  });
  return { ...result, cpuMs: (run.meter.cpuMs() - before) / result.sent };
}

/** One client creates Posts of two Variants, one after the other. */
export async function oneClient(run: PeerRun, api: Api, label: string, home?: ApiHome): Promise<Figures> {
  const requests = run.sizes.creates;
  const result = await create(run, api, [home ?? (await api.openHome(CHANNELS))], label, {
    clients: 1,
    warmUp: { requests: Math.ceil(requests / 4) },
    measured: { requests },
  });
  return { 'p50 ms': result.p50, 'p99 ms': result.p99, 'cpu ms a Post': result.cpuMs };
}

/** Many clients, each sending its next Post when the last one was answered, over many Workspaces. */
export async function manyClients(run: PeerRun, api: Api): Promise<Figures> {
  const { workspaces, clients, throughputSeconds } = run.sizes;
  const homes: ApiHome[] = [];
  for (let home = 0; home < workspaces; home++) homes.push(await api.openHome(CHANNELS));
  const result = await create(run, api, homes, 'Many', {
    clients,
    warmUp: { seconds: throughputSeconds / 4 },
    measured: { seconds: throughputSeconds },
  });
  return {
    'per s': result.perSecond,
    'p50 ms': result.p50,
    'p99 ms': result.p99,
    'cpu ms a Post': result.cpuMs,
  };
}
