import { CONVERSIONS, FETCHES, INSPECTIONS, JUDGING, MEDIA_READS, UPLOADS } from './attacked-files.ts';
import { BULKS, LISTS, TOOL_CALLS, VALIDATIONS } from './attacked-requests.ts';
import { DELIVERIES, PUBLISHING } from './attacked-sending.ts';
import type { AttackedPool } from './duel.ts';

export const ATTACKED_POOLS: readonly AttackedPool[] = [
  ...[UPLOADS, MEDIA_READS, JUDGING, INSPECTIONS, FETCHES, CONVERSIONS],
  ...[LISTS, BULKS, VALIDATIONS, TOOL_CALLS, DELIVERIES, PUBLISHING],
];
