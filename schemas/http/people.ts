import { z } from 'zod';

/** One of a closed list of words. */
export const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

/** What a person calls a Workspace, a Member, a Channel or a key. */
export const Name = z
  .string('must be a string')
  .trim()
  .min(1, 'must not be empty')
  .max(200, 'must have at most 200 characters')
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be well-formed text');

export const Email = z
  .string('must be a string')
  .trim()
  .max(254, 'must have at most 254 characters')
  .regex(/^[^\s@]+@[^\s@]+$/, 'must be an e-mail address');
