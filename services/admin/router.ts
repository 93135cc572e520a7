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

/** Every procedure of operators. The server that serves them checks the token. */
export function createAdminRouter(options: AdminOptions) {
  const operator = createOperator(options);
  return router({
    workspaces: workspaceProcedures(operator, options),
    members: memberProcedures(operator, options),
    channels: channelProcedures(operator, options),
    keys: keyProcedures(operator, options),
    endpoints: endpointProcedures(options),
    failingEndpoints: failingEndpointProcedures(options),
    deliveries: deliveryProcedures(operator, options),
    clock: clockProcedures(options),
    parked: parkedProcedures(options),
    deadLetters: deadLetterProcedures(options),
    orphans: orphanProcedures(options.orphans),
    timers: timerProcedures(options),
    system: systemProcedures(options),
  });
}

export type AdminRouter = ReturnType<typeof createAdminRouter>;

/** The same procedures for callers in this process; refusals are thrown as TRPCError. */
export function createAdminCaller(adminRouter: AdminRouter) {
  return createCallerFactory(adminRouter)({});
}

export type AdminCaller = ReturnType<typeof createAdminCaller>;
