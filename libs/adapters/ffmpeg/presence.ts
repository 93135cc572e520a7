import { PortError } from '#ports/errors.ts';
import { runTool, toolsFrom, type FfmpegOptions } from './tools.ts';

/** Of a program that only tells its version. */
const LIMITS = { memoryBytes: 1024 ** 3, timeMs: 10_000, threads: 1, fileBytes: 0 } as const;

/**
 * Tells why videos can not be worked on here, in words for a person; null where they can. Both tools are asked for
 * their version, until they were there once: one that is installed meanwhile is found. Never rejects: where it can not
 * be told, a video is let through.
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
