import { NETWORKS } from '#domain/network.ts';
import { PLANS } from '#domain/plan/plan.ts';
import { isoOf } from '#domain/post/render.ts';
import { MEMBER_ROLES, PERMISSIONS } from '#domain/workspace/state.ts';
import { Email, Name, oneOf } from '#schemas/http/people.ts';
import { SentId, SentInstant } from '#schemas/http/scalars.ts';

export { SentId as Id, SentInstant as Instant, isoOf, Email, Name };

export const Plan = oneOf(PLANS);
export const AnyNetwork = oneOf(NETWORKS);
export const AnyRole = oneOf(MEMBER_ROLES);
export const AnyPermission = oneOf(PERMISSIONS);
