import { hash } from 'node:crypto';
import { z } from 'zod';
import { isMistyped, makeApiKey } from '#use-cases/api-key.ts';
import { limitsOf, SENT_KEY_LIMITS } from '#use-cases/key-limits.ts';
import { AnyPermission, Id, Name } from './fields.ts';
import type { Operator } from './operator.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

/** At least the 32 random bytes that keys of `keys.create` have. */
const ApiKey = z
  .string('must be a string')
  .regex(/^crier_[\w-]{43,200}$/, 'must be crier_ and at least 43 characters of base64url')
  .refine((key) => !isMistyped(key), 'has a checksum that does not fit: copy the key again');

const CreateKey = z.strictObject({
  workspaceId: Id,
  memberId: Id,
  name: Name,
  permissions: z.array(AnyPermission).max(20).default([]),
  /**
   * Chosen by the caller, so that a repetition after a lost answer makes no second key. A value that another Workspace
   * has or had is refused.
   */
  keyId: Id.optional(),
  apiKey: ApiKey.optional(),
  ...SENT_KEY_LIMITS,
});

export function keyProcedures(operator: Operator, { clock, ids }: Pick<AdminOptions, 'clock' | 'ids'>) {
  return router({
    /**
     * The key is in this answer only: the command and the table carry its SHA-256, by which ingress looks it up.
     */
    create: procedure
      .input(CreateKey)
      .mutation(async ({ input: { workspaceId, memberId, name, permissions, ...given } }) => {
        const keyId = given.keyId ?? ids.uuid7(clock.now());
        const apiKey = given.apiKey ?? makeApiKey(ids);
        await operator.command(workspaceId, {
          type: 'CreateKey',
          keyId,
          memberId,
          name,
          permissions,
          tokenHash: hash('sha256', apiKey, 'hex'),
          ...limitsOf(given),
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
