import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  type ListMultipartUploadsCommandOutput,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import type { BlobFacts, BlobStore, ListedBlob, PutOptions } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import { checkBlobListing, checkBlobName, checkBlobRange } from '#ports/blob-checks.ts';
import { guard, isBeyondEnd, isMissing, portErrorOf } from './failures.ts';
import { putStream } from './multipart-put.ts';

export interface S3Options {
  /** null: Amazon's endpoint of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** null: from the machine's role or environment. */
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | null;
  /** Puts the bucket in the path instead of the host name. */
  readonly pathStyle: boolean;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** The longest time without a byte in either direction. */
const SILENCE_TIMEOUT_MS = 30_000;
const MAX_SOCKETS = 256;

/**
 * Blobs as objects of one bucket of an S3-compatible store, their names as keys. `check` rejects when the bucket can't
 * be used; `close` closes the connections.
 */
export interface S3BlobStore extends BlobStore {
  check(): Promise<void>;
  close(): void;
}

export function createS3BlobStore({ endpoint, region, bucket, credentials, pathStyle }: S3Options): S3BlobStore {
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    // Not every store other than Amazon's knows the newer checksums; we store a SHA-256 of our own.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      httpAgent: { maxSockets: MAX_SOCKETS },
      httpsAgent: { maxSockets: MAX_SOCKETS },
    },
    ...(endpoint !== null && { endpoint }),
    ...(credentials !== null && { credentials }),
  });
  return new ObjectStore(client, bucket);
}

class ObjectStore implements S3BlobStore {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async put(name: string, content: Readable, options: PutOptions): Promise<BlobFacts> {
    try {
      return await putStream({ client: this.#client, ...this.#at(name) }, content, options);
    } catch (error) {
      content.destroy();
      throw error;
    }
  }

  async get(name: string, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    const at = this.#at(name);
    checkBlobRange(range);
    const Range = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end}` };
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ ...at, ...Range }));
      if (!(Body instanceof Readable)) throw new Error('an object without a stream');
      return Body;
    } catch (error) {
      if (isMissing(error)) throw new PortError('refused', `there is no blob ${name}`, { cause: error });
      if (isBeyondEnd(error))
        throw new PortError('refused', `blob ${name} has no byte at ${range?.start}`, { cause: error });
      throw portErrorOf(error, 'unavailable');
    }
  }

  async head(name: string): Promise<{ readonly bytes: number } | null> {
    const at = this.#at(name);
    try {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand(at));
      return { bytes: ContentLength ?? 0 };
    } catch (error) {
      if (isMissing(error)) return null;
      throw portErrorOf(error, 'unavailable');
    }
  }

  async delete(name: string): Promise<void> {
    const at = this.#at(name);
    await guard(() => this.#client.send(new DeleteObjectCommand(at)), 'unknown');
  }

  async list(
    prefix: string,
    page: { readonly after: string | null; readonly limit: number },
  ): Promise<readonly ListedBlob[]> {
    checkBlobListing(prefix, page);
    const listed: ListedBlob[] = [];
    // An answer may have fewer objects than were asked for, or none, and not be the last: so a bucket with versions
    // answers where many were deleted.
    for (let ContinuationToken: string | undefined; listed.length < page.limit;) {
      const answer: ListObjectsV2CommandOutput = await guard(() =>
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#bucket,
            Prefix: prefix,
            MaxKeys: page.limit - listed.length,
            ...(page.after !== null && { StartAfter: page.after }),
            ...(ContinuationToken !== undefined && { ContinuationToken }),
          }),
        ),
      );
      for (const { Key = '', Size = 0, LastModified } of answer.Contents ?? [])
        listed.push({ name: Key, bytes: Size, ageMs: ageOf(LastModified) });
      ContinuationToken = answer.NextContinuationToken;
      if (answer.IsTruncated !== true || ContinuationToken === undefined) break;
    }
    return listed;
  }

  async removeUnfinished(olderThanMs: number): Promise<number> {
    let removed = 0;
    for (let from: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {}; ;) {
      const page: ListMultipartUploadsCommandOutput = await guard(() =>
        this.#client.send(new ListMultipartUploadsCommand({ Bucket: this.#bucket, ...from })),
      );
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key === undefined || ageOf(Initiated) <= olderThanMs) continue;
        await guard(
          () => this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId })),
          'unknown',
        );
        removed += 1;
      }
      if (page.IsTruncated !== true || page.NextKeyMarker === undefined) return removed;
      from = {
        KeyMarker: page.NextKeyMarker,
        ...(page.NextUploadIdMarker !== undefined && { UploadIdMarker: page.NextUploadIdMarker }),
      };
    }
  }

  localPath(): null {
    return null;
  }

  async check(): Promise<void> {
    await guard(() => this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })));
  }

  close(): void {
    this.#client.destroy();
  }

  #at(name: string): { readonly Bucket: string; readonly Key: string } {
    checkBlobName(name);
    return { Bucket: this.#bucket, Key: name };
  }
}

function ageOf(at: Date | undefined): number {
  return at === undefined ? 0 : Math.max(0, Date.now() - at.getTime());
}
