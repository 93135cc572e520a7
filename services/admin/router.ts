import { appProcedures } from './apps.ts';
import { auditProcedures } from './audit.ts';
import { channelProcedures } from './channels.ts';
import { clusterProcedures } from './cluster.ts';
import { deadLetterProcedures } from './dead-letters.ts';
import { groupProcedures } from './groups.ts';
import { keyProcedures } from './keys.ts';
import { logProcedures } from './log-level.ts';
import { memberProcedures } from './members.ts';
import { oauthProcedures } from './oauth.ts';
import { createOperator } from './operator.ts';
import { orphanProcedures } from './orphans.ts';
import { parkedProcedures } from './parked.ts';
import type { AdminOptions } from './dependencies.ts';
import { postProcedures, variantProcedures } from './posts.ts';
import { createCallerFactory, router } from './procedure.ts';
import { publishingProcedures } from './publishing.ts';
import { secretProcedures } from './secrets.ts';
import { shardProcedures } from './shards.ts';
import { clockProcedures, systemProcedures } from './system.ts';
import { tenantProcedures } from './tenants.ts';
import { timerProcedures } from './timers.ts';
import { deliveryProcedures, endpointProcedures, failingEndpointProcedures } from './webhooks.ts';
import { workspaceProcedures } from './workspaces.ts';

/** Every procedure of operators. The server that serves them checks the token. */
export function createAdminRouter(options: AdminOptions) {
  const operator = createOperator(options);
  return router({
    workspaces: workspaceProcedures(operator, options),
    members: memberProcedures(operator, options),
    channels: channelProcedures(operator, options),
    keys: keyProcedures(operator, options),
    apps: appProcedures(operator, options),
    endpoints: endpointProcedures(options),
    failingEndpoints: failingEndpointProcedures(options),
    deliveries: deliveryProcedures(operator, options),
    oauth: oauthProcedures(options),
    clock: clockProcedures(options),
    publishing: publishingProcedures(operator, options),
    secrets: secretProcedures(operator, options),
    parked: parkedProcedures(options),
    deadLetters: deadLetterProcedures(options),
    orphans: orphanProcedures(options.orphans),
    tenants: tenantProcedures(options),
    timers: timerProcedures(options),
    system: systemProcedures(options),
    log: logProcedures(options),
    cluster: clusterProcedures(options),
    audit: auditProcedures(options),
    posts: postProcedures(options),
    variants: variantProcedures(options),
    shards: shardProcedures(options),
    groups: groupProcedures(options),
  });
}

export type AdminRouter = ReturnType<typeof createAdminRouter>;

/** The same procedures for callers in this process; refusals are thrown as TRPCError. */
export function createAdminCaller(adminRouter: AdminRouter) {
  return createCallerFactory(adminRouter)({ operator: null, keep: async () => {} });
}

export type AdminCaller = ReturnType<typeof createAdminCaller>;
