import { availableParallelism, totalmem } from 'node:os';
import { VIDEO_MEMORY_BYTES } from '#adapters/ffmpeg/tools.ts';
import { PICTURE_MEMORY_BYTES } from '#adapters/sharp/pictures.ts';
import { SPARE_CONVERSIONS, SPARE_VIDEOS } from '#concurrency/conversions.ts';
import type { Config } from '#config/config.ts';

/** Of the process itself. */
const OWN_BYTES = 512 * 1024 ** 2;

export interface OwnMachine {
  readonly cores: number;
  /** Of the container; null: there is no limit but that of the machine. */
  readonly limitBytes: number | null;
}

/**
 * How many conversions run at once in this process, unless set: as many as there are cores. A container holds the most
 * that so many may take beside the process: Kubernetes has the kernel end all of a container that reaches its limit,
 * and not only the tool that asks for too much. On a machine the kernel ends the tool, whose job is then tried again.
 */
export function conversionsAtOnceOf(
  config: Pick<Config, 'conversionsAtOnce'>,
  { cores, limitBytes }: OwnMachine = ownMachine(),
): number {
  if (config.conversionsAtOnce !== null) return config.conversionsAtOnce;
  let atOnce = cores;
  if (limitBytes === null) return atOnce;
  while (atOnce > 1 && OWN_BYTES + conversionBytes(atOnce) > limitBytes) atOnce -= 1;
  return atOnce;
}

/** The most that so many conversions at once, one of them a video, may take with those that run beside them. */
export function conversionBytes(atOnce: number): number {
  return (1 + SPARE_VIDEOS) * VIDEO_MEMORY_BYTES + (atOnce - 1 + SPARE_CONVERSIONS) * PICTURE_MEMORY_BYTES;
}

export function ownMachine(): OwnMachine {
  const limit = process.constrainedMemory();
  return { cores: availableParallelism(), limitBytes: limit > 0 && limit < totalmem() ? limit : null };
}
