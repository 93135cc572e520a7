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
import type { BlobFacts, PutOptions } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import { guard } from './failures.ts';
import { partsOf } from './parts.ts';

/**
 * Splits the largest file into fewer than 300 parts (10,000 are allowed; the minimum is 5 MiB). Two parts are in memory
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
 * Stores a stream under a key: by one call when it fits one part, otherwise part by part, sending one while the next
 * fills. The object appears with the last call or not at all; when anything fails, the parts sent before are aborted.
 * Rejects with `PortError`, or as the stream does.
 */
export async function putStream(
  target: Target,
  content: Readable,
  { maxBytes, freesPieces }: PutOptions,
): Promise<BlobFacts> {
  const hash = createHash('sha256');
  let bytes = 0;
  const parts = partsOf(content, PART_BYTES, freesPieces);
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
      // Both are awaited, whichever fails: a part still in flight could arrive after the abort and stay for ever.
      const [sending, filling]: [PromiseSettledResult<void>, PromiseSettledResult<Buffer | null>] =
        await Promise.allSettled([send(current), next()]);
      if (sending.status === 'rejected') throw sending.reason;
      if (filling.status === 'rejected') throw filling.reason;
      current = filling.value;
    }
  } catch (error) {
    // Parts that can't be aborted now are removed later as unfinished.
    await client.send(new AbortMultipartUploadCommand({ ...where, UploadId })).catch(() => undefined);
    throw error;
  }
  await guard(
    () =>
      client.send(new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts: [...sent] } })),
    'unknown',
  );
}
