import { z } from 'zod';
import { isoOf } from './fields.ts';
import type { AdminOptions } from './dependencies.ts';
import { procedure, router } from './procedure.ts';

export function oauthProcedures({ rotateOAuthKeys }: Pick<AdminOptions, 'rotateOAuthKeys'>) {
  return router({
    /** What the former keys signed stays good for 30 days. */
    rotateKeys: procedure.input(z.strictObject({}).optional()).mutation(async () => {
      const { id, signsFrom } = await rotateOAuthKeys();
      return { keyId: id, signsFrom: isoOf(signsFrom) };
    }),
  });
}
