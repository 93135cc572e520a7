import { PortError } from '#ports/errors.ts';
import { runTool, toolsFrom, type FfmpegOptions } from './tools.ts';

/** The time limit of a program that only prints its version. */
const LIMITS = {
  reach: { reads: [], writes: [] },
  ...{ memoryBytes: 1024 ** 3, timeMs: 10_000, threads: 1, fileBytes: 0 },
} as const;

/**
 * Returns why videos can not be processed here, in words for a person; null where they can. Both tools are asked for
 * their version until both were found once, so a tool that is installed later is found. Never rejects: when the check
 * itself fails, videos are accepted.
 */
export function createVideoCheck(options: FfmpegOptions = {}): () => Promise<string | null> {
  const { ffmpeg, ffprobe } = toolsFrom(options);
  let wereThere = false;
  return async () => {
    if (wereThere) return null;
    for (const program of [ffprobe, ffmpeg]) {
      const asked = await runTool({ program, args: ['-version'], ...LIMITS }).catch((error: unknown) => {
        if (error instanceof PortError) return null;
        throw error;
      });
      if (asked === null) return null;
      if (asked.kind === 'unable') return asked.words;
    }
    wereThere = true;
    return null;
  };
}
