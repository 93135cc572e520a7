import { z } from 'zod';
import { MEMBER_ROLES, PERMISSIONS } from '#domain/workspace/state.ts';
import { Email, Name, oneOf } from '#schemas/http/people.ts';
import { isTimeZone } from '#schemas/http/time-zone.ts';

export { Email, Name };

export const AnyRole = oneOf(MEMBER_ROLES);
export const AnyPermission = oneOf(PERMISSIONS);

/** As a browser or a person names it. */
export const SentZone = z.string('must be a string').max(64, 'must have at most 64 characters');
export const ZoneName = SentZone.refine(isTimeZone, 'must be the IANA name of a time zone, such as Europe/Berlin');
