import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { BlobFacts } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import { guard } from './failures.ts';
import { partsOf } from './parts.ts';

/**
 * The largest file in fewer than 300 parts, where 10,000 are allowed and 5 MiB is the least; two of them are in memory
 * at once.
 */
const PART_BYTES = 8 * 1024 ** 2;

interface SentPart {
  readonly PartNumber: number;
  readonly ETag: string | undefined;
}

interface Target {
  readonly client: S3Client;
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * Stores a stream under a key: what fits one part by one call, the rest part by part, one on its way while the next
 * fills. The object appears with the last call or not at all; parts sent before are given up when anything fails.
 * Rejects with `PortError`, or as the stream does.
 */
export async function putStream(target: Target, content: Readable, maxBytes: number): Promise<BlobFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  const parts = partsOf(content, PART_BYTES);
  const next = async (): Promise<Buffer | null> => {
    const { done, value } = await parts.next();
    if (done === true) return null;
    bytes += value.length;
    if (bytes > maxBytes) throw new PortError('refused', `more than ${maxBytes} bytes`);
    hash.update(value);
    return value;
  };
  const first = await next();
  const second = first === null || first.length < PART_BYTES ? null : await next();
  if (second === null) {
    const { client, ...where } = target;
    await guard(() => client.send(new PutObjectCommand({ ...where, Body: first ?? Buffer.alloc(0) })), 'unknown');
  } else {
    await sendParts(target, [first!, second], next);
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function sendParts(
  { client, ...where }: Target,
  begun: readonly [Buffer, Buffer],
  next: () => Promise<Buffer | null>,
): Promise<void> {
  const { UploadId } = await guard(() => client.send(new CreateMultipartUploadCommand(where)));
  const sent: SentPart[] = [];
  const send = async (Body: Buffer): Promise<void> => {
    const PartNumber = sent.length + 1;
    const { ETag } = await guard(() => client.send(new UploadPartCommand({ ...where, UploadId, PartNumber, Body })));
    sent.push({ PartNumber, ETag });
  };
  try {
    let current: Buffer | null = begun[1];
    await send(begun[0]);
    while (current !== null) {
      // Both to their end, whichever fails: a part still on its way could land after the abort, and be kept for ever.
      const [sending, filling]: [PromiseSettledResult<void>, PromiseSettledResult<Buffer | null>] =
        await Promise.allSettled([send(current), next()]);
      if (sending.status === 'rejected') throw sending.reason;
      if (filling.status === 'rejected') throw filling.reason;
      current = filling.value;
    }
  } catch (error) {
    // What this can't give up is unfinished, and removed later as such.
    await client.send(new AbortMultipartUploadCommand({ ...where, UploadId })).catch(() => undefined);
    throw error;
  }
  await guard(
    () =>
      client.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts: [...sent] } })),
    'unknown',
  );
}
