import { z } from 'zod';
import { resealSecrets, secretsStatus, type ResealSecretsOptions } from '#use-cases/reseal-secrets.ts';
import type { AdminOptions } from './dependencies.ts';
import type { Operator } from './operator.ts';
import { procedure, router } from './procedure.ts';

const Nothing = z.strictObject({}).optional();

/** What is sealed under CRIER_SECRET, and under those of before. */
export function secretProcedures(
  operator: Pick<Operator, 'tryCommand'>,
  options: Pick<AdminOptions, 'store' | 'secretBox' | 'clock' | 'ids' | 'reporter'>,
) {
  const sendCommand: ResealSecretsOptions['sendCommand'] = (workspaceId, command) =>
    operator.tryCommand(workspaceId, command);
  return router({
    /**
     * Seals everything anew under the secret of this process. `finished` false after two minutes: called again, it goes
     * on there.
     */
    reseal: procedure.input(Nothing).mutation(() => resealSecrets({ ...options, sendCommand })),
    /** By key: how many values are sealed under it. A key is named by a few characters that reveal nothing of it. */
    status: procedure.input(Nothing).query(async () => ({ keys: await secretsStatus(options) })),
  });
}
