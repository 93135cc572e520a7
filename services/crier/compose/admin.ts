import type { Config } from '#config/config.ts';
import type { Connections } from '#connections/connections.ts';
import type { SignIns } from '#connections/sign-in.ts';
import { NETWORKS } from '#domain/network.ts';
import type { Networks } from '#networks/registry.ts';
import { DeadLetterReader } from '#services/admin/dead-letter-reader.ts';
import { createAdminCaller, createAdminRouter, type AdminCaller, type AdminRouter } from '#services/admin/router.ts';
import { addClockAhead } from '#tables/repositories/clock-ahead.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';
import type { Engine } from '../engines/engine.ts';
import type { ProcessCore } from './process-core.ts';
import { workloadsOf, type ProcessRoles } from './process-roles.ts';

export interface AdminRole {
  readonly router: AdminRouter;
  readonly caller: AdminCaller;
  readonly deadLetters: DeadLetterReader;
}

export interface AdminRoleOptions {
  readonly version: string;
  readonly networks: Networks;
  readonly signIns: SignIns;
  readonly connections: Connections;
  readonly uploads: UploadRows;
  readonly roles: ProcessRoles;
}

/** Null where the role is off. */
export function createAdminRole(
  { config, engine, ports, addresses, requests, supervisor }: ProcessCore,
  { version, networks, signIns, connections, uploads, roles }: AdminRoleOptions,
): AdminRole | null {
  if (!config.roles.includes('admin')) return null;
  const deadLetters = new DeadLetterReader(ports);
  const router = createAdminRouter({
    ...ports,
    request: requests.request,
    due: createDueTimers(ports.store),
    replyTo: addresses.internalUrl,
    deadLetters,
    orphans: { ...ports, uploads },
    sandbox: config.networks === 'sandbox' ? { http: ports.http } : null,
    networks: NETWORKS.filter((network) => networks.auths[network] !== undefined),
    signIns,
    publicUrl: addresses.publicUrl,
    connections,
    advanceClock: advanceClockOf(config, engine, roles),
    process: {
      version,
      engine: config.engine,
      networks: config.networks,
      roles: config.roles,
      services: () => supervisor.health(),
      workloads: () => workloadsOf(roles),
      timersHeld: () => roles.scheduler?.held() ?? 0,
    },
  });
  return { router, caller: createAdminCaller(router), deadLetters };
}

/**
 * Moves the clock of an embedded installation with the sandbox; null for others. The row is written first: a crash in
 * between must not let time go back at the next start.
 */
function advanceClockOf(
  config: Config,
  { store, clock, ids }: Engine,
  { scheduler }: ProcessRoles,
): ((milliseconds: number) => Promise<number>) | null {
  if (scheduler === null || config.engine !== 'embedded' || config.networks !== 'sandbox') return null;
  return async (milliseconds) => {
    await addClockAhead(store, milliseconds, () => ids.token());
    clock.advance(milliseconds);
    await scheduler.caughtUp();
    return clock.now();
  };
}
