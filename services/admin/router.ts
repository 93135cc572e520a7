import { channelProcedures } from './channels.ts';
import { deadLetterProcedures } from './dead-letters.ts';
import { keyProcedures } from './keys.ts';
import { createOperator } from './operator.ts';
import { orphanProcedures } from './orphans.ts';
import { parkedProcedures } from './parked.ts';
import type { AdminOptions } from './dependencies.ts';
import { createCallerFactory, router } from './procedure.ts';
import { clockProcedures, systemProcedures } from './system.ts';
import { timerProcedures } from './timers.ts';
import { deliveryProcedures, endpointProcedures, failingEndpointProcedures } from './webhooks.ts';
import { memberProcedures, workspaceProcedures } from './workspaces.ts';

/** Everything operators can ask for. Who may call it is judged where it is served. */
export function createAdminRouter(parts: AdminOptions) {
  const operator = createOperator(parts);
  return router({
    workspaces: workspaceProcedures(operator, parts),
    members: memberProcedures(operator, parts),
    channels: channelProcedures(operator, parts),
    keys: keyProcedures(operator, parts),
    endpoints: endpointProcedures(parts),
    failingEndpoints: failingEndpointProcedures(parts),
    deliveries: deliveryProcedures(operator, parts),
    clock: clockProcedures(parts),
    parked: parkedProcedures(parts),
    deadLetters: deadLetterProcedures(parts),
    orphans: orphanProcedures(parts.orphans),
    timers: timerProcedures(parts),
    system: systemProcedures(parts),
  });
}

export type AdminRouter = ReturnType<typeof createAdminRouter>;

/** The same procedures for callers in this process; refusals are thrown as TRPCError. */
export function createAdminCaller(adminRouter: AdminRouter) {
  return createCallerFactory(adminRouter)({});
}

export type AdminCaller = ReturnType<typeof createAdminCaller>;
