import { z } from 'zod';
import { isMailbox } from '#domain/account.ts';
import { MEMBER_ROLES, PERMISSIONS } from '#domain/workspace/state.ts';
import { Email, Name, oneOf } from '#schemas/http/people.ts';
import { isTimeZone } from '#schemas/http/time-zone.ts';

export { Name };

/** Of who is to be mailed. */
export const Mailbox = Email.refine(isMailbox, 'must be an e-mail address as mail servers write it');

export const AnyRole = oneOf(MEMBER_ROLES);
export const AnyPermission = oneOf(PERMISSIONS);

/** As a browser or a person names it. */
export const SentZone = z.string('must be a string').max(64, 'must have at most 64 characters');
export const ZoneName = SentZone.refine(isTimeZone, 'must be the IANA name of a time zone, such as Europe/Berlin');
