import { open, rm } from 'node:fs/promises';
import { PortError } from '#ports/errors.ts';
import { SIGNATURE_BYTES, signatureOf, type Signature } from '#ports/file-signature.ts';
import type {
  ConvertResult,
  ConvertRequest,
  MediaTools,
  PictureTools,
  ProbeResult,
  ProbeRequest,
  StillRequest,
  VideoTools,
} from '#ports/media-tools.ts';

export interface MediaToolsOptions {
  readonly pictures: PictureTools;
  readonly videos: VideoTools;
}

/**
 * Hands each file to the tools for its kind, judged by its first bytes. `close` ends all processes that the tools run.
 */
export function createMediaTools({ pictures, videos }: MediaToolsOptions): MediaTools & { close(): Promise<void> } {
  async function probe(request: ProbeRequest): Promise<ProbeResult> {
    request.signal?.throwIfAborted();
    const signature = await lookAt(request.path);
    if (signature.kind === 'refused') return signature;
    const { contentType } = signature;
    if (contentType === 'video/mp4' || contentType === 'video/quicktime') {
      const probed = await videos.probe(request);
      return probed.kind === 'known' ? { ...probed, facts: { kind: 'video', contentType, ...probed.facts } } : probed;
    }
    const probed = await pictures.probe(request, contentType);
    return probed.kind === 'known'
      ? { ...probed, facts: { kind: 'image', contentType, ...probed.facts, durationMs: null } }
      : probed;
  }

  async function convert(request: ConvertRequest): Promise<ConvertResult> {
    const { source, target, signal } = request;
    signal?.throwIfAborted();
    if (target.kind === 'original') return { kind: 'converted', ...asItIs(source.facts), reused: true };
    if (target.kind === 'still') return convertStill({ ...request, target });
    if (target.kind !== source.facts.kind)
      throw new Error(`a target of the kind ${target.kind} for a file that is ${source.facts.kind}`);
    return target.kind === 'image' ? pictures.convert({ ...request, target }) : videos.convert({ ...request, target });
  }

  /** The picture of a video is taken by the tools for videos, and made into an image by those for pictures. */
  async function convertStill(request: StillRequest): Promise<ConvertResult> {
    const { workspaceId, target, into, signal } = request;
    const path = `${into}-still.png`;
    try {
      const still = await videos.still({ ...request, into: path });
      if (still.kind !== 'taken') return still;
      const { atMs: _, ...image } = target;
      return await pictures.convert({
        workspaceId,
        source: { path, facts: still.facts },
        target: { ...image, kind: 'image' },
        into,
        ...(signal && { signal }),
      });
    } finally {
      await rm(path, { force: true });
    }
  }

  return {
    probe: (request) => told(probe(request)),
    convert: (request) => told(convert(request)),
    close: () => pictures.close(),
  };
}

/** Trouble with files of ours is no fault of what is in them. */
async function told<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: NodeJS.ErrnoException) => {
    throw typeof error.syscall === 'string' ? new PortError('unavailable', error.message, { cause: error }) : error;
  });
}

function asItIs({ contentType, bytes, sha256, width, height, durationMs }: ConvertRequest['source']['facts']) {
  return { contentType, bytes, sha256, width, height, durationMs };
}

async function lookAt(path: string): Promise<Signature> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(SIGNATURE_BYTES);
    const { bytesRead } = await file.read(head, 0, SIGNATURE_BYTES, 0);
    return signatureOf(head.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
