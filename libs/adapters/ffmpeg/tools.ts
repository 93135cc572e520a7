import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { runLimited, type LimitedCommand, type LimitedRunResult } from '../child-process/limited-run.ts';
import { PortError } from '#ports/errors.ts';
import type { MediaRefusal, MissingTool } from '#ports/media-tools.ts';

export interface FfmpegOptions {
  /** Names that are looked for where programs are, or paths. */
  readonly ffmpeg?: string;
  readonly ffprobe?: string;
  /** Of each conversion. */
  readonly threads?: number;
  /** Of each ffmpeg. 4K with high dynamic range needs two of them. */
  readonly memoryBytes?: number;
  /** What reading the boxes of a file may take, and then ffprobe. */
  readonly boxesMs?: number;
  readonly probeMs?: number;
  /** Of ffprobe, which decodes some pictures: those of 8K are the largest. */
  readonly probeMemoryBytes?: number;
  /**
   * What a conversion may take: so long, and so much more for each millisecond, whatever is shown in it, and for each
   * in which there are pictures of 1080p, 30 a second.
   */
  readonly timeMs?: number;
  readonly stillTimePerMs?: number;
  readonly timePerMs?: number;
}

export type FfmpegTools = Required<FfmpegOptions>;

export function toolsFrom(options: FfmpegOptions): FfmpegTools {
  const threads = Math.min(4, availableParallelism());
  const limits = {
    memoryBytes: 3 * 1024 ** 3,
    probeMemoryBytes: 1024 ** 3,
    boxesMs: 20_000,
    probeMs: 60_000,
    timeMs: 120_000,
    stillTimePerMs: 1,
    timePerMs: 10,
  };
  return { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', threads, ...limits, ...options };
}

/**
 * How a file of ours is opened, whatever it claims: as MP4 or MOV only, never as a list of other files, and no other
 * file or address that it names is opened either.
 */
export function inputOf(path: string): readonly string[] {
  return [
    '-protocol_whitelist',
    'file',
    '-f',
    'mov',
    '-enable_drefs',
    '0',
    '-use_absolute_path',
    '0',
    '-i',
    `file:${path}`,
  ];
}

/** ffmpeg's own words for what a build of it lacks. */
const LACKING = /No such filter: '(\w+)'|Unknown encoder '(\w+)'/;

/**
 * Runs one of the tools to its end; what it said, or why there is nothing. Rejects `unavailable` when it was killed by
 * others.
 */
export async function runTool(
  command: LimitedCommand,
): Promise<Extract<LimitedRunResult, { kind: 'ended' | 'over' }> | MissingTool | MediaRefusal> {
  const outcome = await runLimited(command);
  switch (outcome.kind) {
    case 'missing':
      // Members read it: where the program was looked for is not for them.
      return {
        kind: 'unable',
        words: `Videos can not be prepared here: ${basename(command.program)} is not installed. Whoever runs this installation can add it (apt-get install ffmpeg).`,
      };
    case 'killed':
      throw new PortError('unavailable', `${command.program} was killed: ${outcome.by}`);
    case 'over':
      return outcome;
    case 'ended': {
      const lacking = LACKING.exec(outcome.errors);
      const what = lacking?.[1] ?? lacking?.[2];
      return what === undefined
        ? outcome
        : {
            kind: 'unable',
            words: `This video can not be prepared here: the installed ffmpeg was built without ${what}.`,
          };
    }
  }
}
