import { rm } from 'node:fs/promises';
import type { ConvertResult, MediaRefusal, VideoRequest, VideoTools } from '#ports/media-tools.ts';
import { hashOf } from '../filesystem/file-hash.ts';
import { argumentsFor, mostMadeMs, type ConversionPlan } from './arguments.ts';
import { progressReader } from './progress.ts';
import { DAMAGED, runFfmpeg } from './ffmpeg-run.ts';
import { toolsFrom, type FfmpegOptions, type FfmpegTools } from './tools.ts';
import { takeStill } from './still.ts';
import { detailsOf } from './video-details.ts';
import { conversionRouteTo } from './conversion-route.ts';

/** Videos by ffmpeg and ffprobe, with one process for each probe and each try. */
export function createVideos(options: FfmpegOptions = {}): VideoTools {
  const tools = toolsFrom(options);
  return {
    async probe({ path, signal }) {
      const known = await detailsOf(path, tools, signal);
      if (known.kind !== 'known') return known;
      const { width, height, durationMs, privateParts } = known.details;
      return { kind: 'known', facts: { width, height, durationMs }, privateParts };
    },
    async convert(request) {
      let isKept = false;
      try {
        const converted = await convert(request, tools);
        isKept = converted.kind === 'converted' && !converted.reused;
        return converted;
      } finally {
        if (!isKept) await rm(request.into, { force: true });
      }
    },
    still: (request) => takeStill(request, tools),
  };
}

async function convert(request: VideoRequest, tools: FfmpegTools): Promise<ConvertResult> {
  const { source, target, signal } = request;
  const known = await detailsOf(source.path, tools, signal);
  if (known.kind !== 'known') return known;
  const { details } = known;
  const way = conversionRouteTo(details, target, source.facts.bytes);
  if (way.isDone && source.facts.contentType === 'video/mp4') {
    const { contentType, bytes, sha256, width, height, durationMs } = source.facts;
    return { kind: 'converted', contentType, bytes, sha256, width, height, durationMs, reused: true };
  }
  const { bitrate, peakBitrate } = target;
  return tryInTurn(
    request,
    { path: source.path, into: request.into, details, target, way, bitrate, peakBitrate, threads: tools.threads },
    tools,
  );
}

const MAX_TRIES = 4;
/** The factor on the bit rates after a try that came out too large. */
const NEXT_TRY_SHARE = 0.5;
const TOO_LARGE: MediaRefusal = {
  kind: 'refused',
  words: 'The video can not be made small enough for the Network. Make it shorter.',
};

/** A try that comes out too large is followed by one at half the bit rate, and a failed copy by an encoding. */
async function tryInTurn(request: VideoRequest, first: ConversionPlan, tools: FfmpegTools): Promise<ConvertResult> {
  let plan = first;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const made = await make(plan, request, tools);
    const tried = made.kind === 'made' ? await inspect(plan, request, tools) : made;
    if (tried.kind !== 'too large' && (tried.kind !== 'refused' || !isCopied(plan))) return tried;
    const share = isCopied(plan) ? 1 : NEXT_TRY_SHARE;
    const { way, bitrate, peakBitrate } = plan;
    plan = {
      ...plan,
      way: { ...way, picture: 'encode', sound: way.sound === 'silence' ? 'silence' : 'encode' },
      bitrate: Math.round(bitrate * share),
      peakBitrate: Math.round(peakBitrate * share),
    };
  }
  return TOO_LARGE;
}

function isCopied({ way }: ConversionPlan): boolean {
  return way.picture === 'copy' || way.sound === 'copy';
}

function make(
  plan: ConversionPlan,
  { signal, onProgress, target }: VideoRequest,
  tools: FfmpegTools,
): ReturnType<typeof runFfmpeg> {
  const { details } = plan;
  return runFfmpeg(
    {
      args: argumentsFor(plan),
      ...{ path: plan.path, into: plan.into, details },
      fileBytes: target.maxBytes,
      onLine: progressReader(details.durationMs, onProgress),
      ...(signal === undefined ? {} : { signal }),
    },
    tools,
  );
}

/**
 * The output may be shorter than the source by at most this: a file that breaks off must not be published as if it were
 * whole.
 */
const MAX_MISSING_MS = 700;
const MAX_MISSING_SHARE = 0.01;

/** Probes the output like any other file, and returns whether it is what the target asks for. */
async function inspect(
  { into, details }: ConversionPlan,
  { target, signal }: VideoRequest,
  tools: FfmpegTools,
): Promise<ConvertResult> {
  const known = await detailsOf(into, tools, signal);
  if (known.kind === 'refused') return DAMAGED;
  if (known.kind !== 'known') return known;
  const { width, height, durationMs } = known.details;
  if (width !== target.canvas.width || height !== target.canvas.height)
    throw new Error(`ffmpeg made ${width}x${height} instead of ${target.canvas.width}x${target.canvas.height}`);
  const saidSeconds = Math.round(details.durationMs / 1000);
  if (target.maxDurationMs === null && durationMs > mostMadeMs(details.durationMs) - MAX_MISSING_MS) {
    return {
      kind: 'refused',
      words: `The video goes on after the ${saidSeconds} seconds that it says it lasts: it is damaged. Export it again as an MP4.`,
    };
  }
  const missingMs = details.durationMs - durationMs;
  if (missingMs > Math.max(MAX_MISSING_MS, details.durationMs * MAX_MISSING_SHARE)) {
    return {
      kind: 'refused',
      words: `The video breaks off after ${Math.round(durationMs / 1000)} of ${saidSeconds} seconds: it is damaged, or was not copied whole.`,
    };
  }
  const { sha256, bytes } = await hashOf(into, signal);
  return { kind: 'converted', contentType: 'video/mp4', bytes, sha256, width, height, durationMs, reused: false };
}
