import { CONVERSIONS, FETCHES, INSPECTIONS, JUDGING, MEDIA_READS, UPLOADS } from './attacked-files.ts';
import { BODIES, BULKS, LISTS, TOOL_CALLS, VALIDATIONS } from './attacked-requests.ts';
import { DELIVERIES, PUBLISHING, SIGN_IN_MAILS } from './attacked-sending.ts';
import type { AttackedPool } from './duel.ts';

export const ATTACKED_POOLS: readonly AttackedPool[] = [
  ...[UPLOADS, MEDIA_READS, JUDGING, INSPECTIONS, FETCHES, CONVERSIONS],
  ...[LISTS, BODIES, BULKS, VALIDATIONS, TOOL_CALLS],
  ...[DELIVERIES, PUBLISHING, SIGN_IN_MAILS],
];
