import { makeSigningKey } from '#adapters/node-crypto/signing-key.ts';
import type { SignIns } from '#connections/sign-in.ts';
import { NETWORKS } from '#domain/network.ts';
import type { Networks } from '#networks/registry.ts';
import type { AdminOptions } from '#services/admin/dependencies.ts';
import { createOperatorCalls } from '#services/admin/operator-calls.ts';
import type { AdminContext } from '#services/admin/procedure.ts';
import { createAdminCaller, createAdminRouter, type AdminCaller, type AdminRouter } from '#services/admin/router.ts';
import { createDueTimers } from '#tables/repositories/due.ts';
import { OAuthKeys } from '#tables/repositories/oauth-keys.ts';
import type { UploadRows } from '#tables/repositories/uploads.ts';
import type { AdvanceClock } from './advance-clock.ts';
import type { LogLevel } from './log-level.ts';
import type { ProcessCore } from './process-core.ts';
import type { Presence } from '../presence/presence.ts';
import { clusterStatus } from './presence.ts';
import { workloadsOf, type ProcessRoles } from './process-roles.ts';

export interface AdminRole {
  readonly router: AdminRouter;
  readonly caller: AdminCaller;
  /** What procedures learn of an operator who calls. */
  readonly contextOf: (operator: AdminContext['operator']) => AdminContext;
}

export interface AdminRoleOptions {
  readonly version: string;
  readonly presence: Presence;
  readonly networks: Networks;
  readonly signIns: SignIns;
  readonly uploads: UploadRows;
  readonly roles: ProcessRoles;
  readonly advanceClock: AdvanceClock | null;
  readonly mailInvitation: AdminOptions['mailInvitation'];
  readonly publishingHolds: AdminOptions['publishingHolds'];
  readonly logLevel: LogLevel;
  readonly pools: AdminOptions['pools'];
}

/** Null where the role is off. */
export function createAdminRole(
  { config, ports, addresses, requests, supervisor }: ProcessCore,
  {
    version,
    presence,
    networks,
    signIns,
    uploads,
    roles,
    advanceClock,
    mailInvitation,
    publishingHolds,
    logLevel,
    pools,
  }: AdminRoleOptions,
): AdminRole | null {
  if (!config.roles.includes('admin')) return null;
  const router = createAdminRouter({
    ...ports,
    request: requests.request,
    due: createDueTimers(ports.store),
    replyTo: addresses.internalUrl,
    orphans: { ...ports, uploads },
    sandbox: config.networks === 'sandbox' ? { http: ports.http } : null,
    networks: NETWORKS.filter((network) => networks.auths[network] !== undefined),
    signIns,
    publicUrl: addresses.publicUrl,
    advanceClock,
    mailInvitation,
    publishingHolds,
    logLevel: { status: () => logLevel.status(), change: (level, forMs) => logLevel.change(level, forMs) },
    rotateOAuthKeys: () => new OAuthKeys({ ...ports, makeSigningKey }).rotate(),
    cluster: {
      status: () => clusterStatus(ports.store, presence),
      raiseFormat: () => presence.raise(),
    },
    pools,
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
  const calls = createOperatorCalls(ports);
  return { router, caller: createAdminCaller(router), contextOf: (operator) => ({ operator, ...calls }) };
}
