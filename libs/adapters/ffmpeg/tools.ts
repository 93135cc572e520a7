import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import { PortError } from '#ports/errors.ts';
import type { MediaRefusal, MissingTool } from '#ports/media-tools.ts';
import type { LimitedRunResult } from '../child-process/limited-program.ts';
import { runLimited, type LimitedCommand } from '../child-process/limited-run.ts';
import { DECODERS } from './decoders.ts';

/** What the conversion of one video may take. */
export const VIDEO_MEMORY_BYTES = 3 * 1024 ** 3;

export interface FfmpegOptions {
  /** Paths, or names that are looked up in the usual folders for programs. */
  readonly ffmpeg?: string;
  readonly ffprobe?: string;
  /** Threads of each conversion. */
  readonly threads?: number;
  /** Memory of each ffmpeg process. 4K with high dynamic range needs two threads. */
  readonly memoryBytes?: number;
  /** The time limit for reading the boxes of a file, and then that of ffprobe. */
  readonly boxesMs?: number;
  readonly probeMs?: number;
  /** Memory of ffprobe, which decodes some pictures; those of 8K are the largest. */
  readonly probeMemoryBytes?: number;
  /**
   * The time limit of a conversion: `timeMs`, plus `stillTimePerMs` for each millisecond of the video whatever it
   * shows, plus `timePerMs` for each millisecond with pictures of 1080p at 30 per second.
   */
  readonly timeMs?: number;
  readonly stillTimePerMs?: number;
  readonly timePerMs?: number;
}

export type FfmpegTools = Required<FfmpegOptions>;

export function toolsFrom(options: FfmpegOptions): FfmpegTools {
  const threads = Math.min(4, availableParallelism());
  const limits = {
    memoryBytes: VIDEO_MEMORY_BYTES,
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
 * How ffmpeg opens an input file, whatever its content claims: as MP4 or MOV only, never as a list of other files, and
 * without opening any other file or address that it names, and by the decoders of our list alone.
 */
export function inputOf(path: string, decoders = DECODERS): readonly string[] {
  return [
    ...['-protocol_whitelist', 'file', '-format_whitelist', 'mov', '-codec_whitelist', decoders, '-f', 'mov'],
    ...['-enable_drefs', '0', '-use_absolute_path', '0', '-i', `file:${path}`],
  ];
}

/** The messages of ffmpeg when its build lacks a feature. */
const LACKING = /No such filter: '(\w+)'|Unknown encoder '(\w+)'/;

/**
 * Runs one of the tools to its end and returns its output, or the reason why there is none. Rejects `unavailable` when
 * another process killed it.
 */
export async function runTool(
  command: LimitedCommand,
): Promise<Extract<LimitedRunResult, { kind: 'ended' | 'over' }> | MissingTool | MediaRefusal> {
  const outcome = await runLimited(command);
  switch (outcome.kind) {
    case 'missing':
      // Members read this message, so it does not say where the program was looked for.
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
