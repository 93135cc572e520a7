import { PortError } from '#ports/errors.ts';
import { runTool, toolsFrom, type FfmpegOptions } from './tools.ts';

/** The time limit of a program that only prints its version. */
const LIMITS = {
  reach: { reads: [], writes: [] },
  ...{ memoryBytes: 1024 ** 3, timeMs: 10_000, threads: 1, fileBytes: 0 },
} as const;

/**
 * Returns why videos can not be processed here, in words for a person; null where they can. Both tools are asked for
 * their version until both were found once, so a tool that is installed later is found. Requests that ask meanwhile
 * share one look: each takes two processes, and starting one holds up the event loop. Never rejects: when the check
 * itself fails, videos are accepted.
 */
export function createVideoCheck(options: FfmpegOptions = {}): () => Promise<string | null> {
  let wereThere = false;
  let looking: Promise<string | null> | null = null;
  const look = async (): Promise<string | null> => {
    const seen = await lookFor(options).finally(() => (looking = null));
    wereThere = seen === 'there';
    return typeof seen === 'string' ? null : seen.missing;
  };
  return () => (wereThere ? Promise.resolve(null) : (looking ??= look()));
}

async function lookFor(options: FfmpegOptions): Promise<'there' | 'unknown' | { readonly missing: string }> {
  const { ffmpeg, ffprobe } = toolsFrom(options);
  for (const program of [ffprobe, ffmpeg]) {
    const asked = await runTool({ program, args: ['-version'], ...LIMITS }).catch((error: unknown) => {
      if (error instanceof PortError) return null;
      throw error;
    });
    if (asked === null) return 'unknown';
    if (asked.kind === 'unable') return { missing: asked.words };
  }
  return 'there';
}
