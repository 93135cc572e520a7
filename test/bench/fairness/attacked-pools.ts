import { CONVERSIONS, FETCHES, INSPECTIONS, JUDGING, MEDIA_READS, PROBES, UPLOADS } from './attacked-files.ts';
import { BODIES, BULKS, LISTS, ONE_OWNER, TOOL_CALLS, VALIDATIONS } from './attacked-requests.ts';
import { APP_ALLOWANCE, DELIVERIES, PUBLISHING, SIGN_IN_MAILS } from './attacked-sending.ts';
import type { AttackedPool } from './duel.ts';

export const ATTACKED_POOLS: readonly AttackedPool[] = [
  ...[UPLOADS, MEDIA_READS, JUDGING, INSPECTIONS, FETCHES, PROBES, CONVERSIONS],
  ...[LISTS, ONE_OWNER, BODIES, BULKS, VALIDATIONS, TOOL_CALLS],
  ...[DELIVERIES, PUBLISHING, APP_ALLOWANCE, SIGN_IN_MAILS],
];
