import { hash } from 'node:crypto';
import { z } from 'zod';
import { AnyPermission, Id, Name } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

/** As `keys.create` makes them: 32 random bytes. */
const ApiKey = z
  .string('must be a string')
  .regex(/^crier_[\w-]{43,200}$/, 'must be crier_ and at least 43 characters of base64url');

const CreateKey = z.strictObject({
  workspaceId: Id,
  memberId: Id,
  name: Name,
  permissions: z.array(AnyPermission).max(20).default([]),
  /**
   * Chosen by the caller, asking again after a lost answer is told from asking for another key. A value that another
   * Workspace has or had is refused.
   */
  keyId: Id.optional(),
  apiKey: ApiKey.optional(),
});

export function keyProcedures(operator: Operator, { clock, ids }: Pick<AdminOptions, 'clock' | 'ids'>) {
  return router({
    /**
     * The key is in the answer and nowhere else: what is sent and kept is its SHA-256, which ingress looks it up by.
     */
    create: procedure
      .input(CreateKey)
      .mutation(async ({ input: { workspaceId, memberId, name, permissions, ...given } }) => {
        const keyId = given.keyId ?? ids.uuid7(clock.now());
        const apiKey = given.apiKey ?? `crier_${ids.token()}`;
        await operator.command(workspaceId, {
          type: 'CreateKey',
          keyId,
          memberId,
          name,
          permissions,
          tokenHash: hash('sha256', apiKey, 'hex'),
        });
        return { keyId, apiKey };
      }),
    revoke: procedure
      .input(z.strictObject({ workspaceId: Id, keyId: Id }))
      .mutation(async ({ input: { workspaceId, keyId } }) => {
        await operator.command(workspaceId, { type: 'RevokeKey', keyId });
        return { keyId };
      }),
  });
}
