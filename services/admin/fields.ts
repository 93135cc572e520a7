import { z } from 'zod';
import { NETWORKS } from '#domain/network.ts';
import { PLANS } from '#domain/plan/plan.ts';
import { isoOf } from '#domain/post/render.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import { SentId, SentInstant } from '#schemas/http/scalars.ts';

export { SentId as Id, SentInstant as Instant, isoOf };

const oneOf = <const V extends readonly [string, ...string[]]>(values: V) =>
  z.enum(values, `must be one of ${values.join(', ')}`);

export const Plan = oneOf(PLANS);
export const AnyNetwork = oneOf(NETWORKS);
export const AnyPermission = oneOf(PERMISSIONS);

/** The id of a Workspace, Member, Channel or key. */
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
