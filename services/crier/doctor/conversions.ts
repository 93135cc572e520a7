import { totalmem } from 'node:os';
import { VIDEO_MEMORY_BYTES } from '#adapters/ffmpeg/tools.ts';
import { PICTURE_MEMORY_BYTES } from '#adapters/sharp/pictures.ts';
import { SPARE_CONVERSIONS, SPARE_VIDEOS } from '#concurrency/conversions.ts';
import type { Config } from '#config/config.ts';
import { conversionsAtOnceOf } from '../compose/media.ts';
import type { DoctorFinding } from './finding.ts';

const GIB = 1024 ** 3;

/** How much memory the conversions of a process can take, beside what the machine or the container has. */
export function conversionFindings(
  config: Pick<Config, 'conversionsAtOnce' | 'roles'>,
  memoryBytes = ownMemoryBytes(),
): readonly DoctorFinding[] {
  if (!config.roles.includes('media')) return [];
  const atOnce = conversionsAtOnceOf(config);
  // Of those at once, one is a video.
  const mostBytes = (1 + SPARE_VIDEOS) * VIDEO_MEMORY_BYTES + (atOnce - 1 + SPARE_CONVERSIONS) * PICTURE_MEMORY_BYTES;
  const facts = `${atOnce} at once and ${SPARE_CONVERSIONS + SPARE_VIDEOS} more, which may take ${gibOf(mostBytes)} GiB at most; there are ${gibOf(memoryBytes)} GiB of memory`;
  const detail =
    mostBytes <= memoryBytes
      ? facts
      : `${facts}: where tools are killed for want of it, set CRIER_CONVERSIONS_AT_ONCE lower, or give it more`;
  return [{ check: 'conversions', ok: true, detail }];
}

const gibOf = (bytes: number): string => (bytes / GIB).toFixed(1);

/** Of a container, what it is limited to. */
function ownMemoryBytes(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
