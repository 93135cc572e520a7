import type { MediaFolder } from '#media/made-files.fixture.ts';
import type { CrierServer, Settings } from '../crier-server.ts';
import type { Sizes } from '../sizes.ts';
import type { AttackJob } from './attack-job.ts';
import type { TenantHosts } from './hosts.ts';
import type { Tenant } from './tenant.ts';

/** Two tenants of one server, and what they name. */
export interface Scene {
  readonly server: CrierServer;
  readonly victim: Tenant;
  readonly attacker: Tenant;
  readonly hosts: TenantHosts;
  /** A picture that is costly to read and to convert. */
  readonly picture: string;
  /** For further files. */
  readonly folder: MediaFolder;
  readonly sizes: Sizes;
}

export interface Duel {
  /** One ordinary thing of the victim, with the milliseconds that count of it. */
  readonly victim: (index: number) => Promise<number>;
  readonly attack: AttackJob;
  /** What the attack left to do that no gauge counts; left out: there is no such thing. */
  readonly left?: () => Promise<number>;
}

export interface AttackedPool {
  readonly pool: string;
  readonly attack: string;
  /** Left out: one Workspace of the Plan agency with its keys. */
  readonly attacker?: string;
  /** Of a server of its own, beside those of all; left out: it is that of the other pools. */
  readonly settings?: (hosts: TenantHosts) => Settings;
  /** What the victim does, so many times a second. */
  readonly ordinary: string;
  readonly aSecond: number;
  /** A gauge of what the attack holds, with labels. */
  readonly held: readonly [metric: string, labels: string];
  /** `held` is a counter: what it counts amid the attack is shown. */
  readonly isCounted?: true;
  readonly begin: (scene: Scene) => Promise<Duel>;
}

const DAY_MS = 86_400_000;

/** Milliseconds that it took. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

/** The gauge of a pool. */
export const inPool = (pool: string): AttackedPool['held'] => ['crier_pool_permits', `pool="${pool}",state="held"`];

type Requests = Extract<AttackJob, { kind: 'requests' }>;
/** Of requests, what is sent. */
export type RequestsOf = Omit<Requests, 'kind' | 'url' | 'keys' | 'aSecond'>;

/** With the keys of the attacker, and as many requests as their limit allows, unless the job says otherwise. */
export function requests(
  { server, attacker }: Scene,
  { keys = attacker.keys, aSecond = keys.length, ...sent }: RequestsOf & Partial<Pick<Requests, 'keys' | 'aSecond'>>,
): AttackJob {
  return { kind: 'requests', url: server.baseUrl, keys, aSecond, ...sent };
}

/** An instant a day from now. */
export function later(): string {
  return new Date(Date.now() + DAY_MS).toISOString();
}
