import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { filesystemScratchDisk } from '#adapters/filesystem/scratch-disk.ts';
import { createMemoryBlobStore } from '#adapters/memory/blob-store.ts';
import { createMemoryClock, type MemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createCodec } from '#codec/avro-codec.ts';
import type { Message } from '#messages/messages.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import type { Asset } from '#domain/media/asset.ts';
import type { FileFacts } from '#domain/media/file-facts.ts';
import type { Cover } from '#domain/post/channel-options.ts';
import { assetsOfPost } from '#domain/post/covers.ts';
import type { Post } from '#domain/post/post.ts';
import type { FetchResult, FetchRequest } from '#media/fetch-address.ts';
import { targetsOf } from '#networks/registry.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import { PortError } from '#ports/errors.ts';
import type { MediaTools, PrivatePart } from '#ports/media-tools.ts';
import type { TableStore } from '#ports/table-store.ts';
import { assetRow } from '#tables/repositories/assets.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { createDueTimers, minuteOf } from '#tables/repositories/due.ts';
import { contentRow, variantRow } from '#tables/repositories/posts.ts';
import { createRenditionRows } from '#tables/repositories/renditions.ts';
import { ASSETS, POSTS, WORKSPACE_VIEWS } from '#tables/declarations/tables.ts';
import { shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { CHANNELS_VIEW } from '#tables/repositories/workspaces.ts';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import { Conversions } from '#concurrency/conversions.ts';
import { Pools } from '#concurrency/pools.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { createMediaPools, type MediaContext } from './dependencies.ts';
import { preparePost } from './prepare-post.ts';

export const SIZE = { kind: 'image', contentType: 'image/png', width: 800, height: 600, durationMs: null } as const;
export const FILM = {
  kind: 'video',
  contentType: 'video/mp4',
  width: 1920,
  height: 1080,
  durationMs: 10_000,
} as const;
export const JPEG = Buffer.from('a picture as Networks take it');

/** Dies at its `at`th call of anything outside, before the call or after it was done. */
export class MediaCrash extends Error {}

/** Of every harness of this process: each job makes a folder of its own in it and removes that. */
const SCRATCH = mkdtempSync(join(tmpdir(), 'crier-test-media-'));
process.once('exit', () => rmSync(SCRATCH, { recursive: true }));

/** What a media service works with, in memory; every call of it can be its last. */
export class MediaHarness {
  /** The Workspace that `post` and `upload` are of. */
  scenario: Scenario = aWorkspace();
  readonly clock: MemoryClock = createMemoryClock();
  readonly blobs: BlobStore = createMemoryBlobStore();
  readonly store: TableStore = createMemoryTableStore({});
  /** The store can not be reached. */
  isAway = false;
  /** What the file at an address is by its bytes. */
  probed: Omit<FileFacts, 'bytes' | 'sha256'> = SIZE;
  privateParts: readonly PrivatePart[] = [];
  /** Looking into a file takes as long as this. */
  probing: (() => Promise<void>) | null = null;
  /** What an upload is by its bytes. */
  facts: Omit<FileFacts, 'bytes' | 'sha256'> = SIZE;
  readonly log = createMemoryLog({ topics: TOPICS, clock: this.clock });
  readonly codec = createCodec({ registry: createBuiltInRegistry() });
  readonly reporter = createMemoryReporter();
  readonly scratch = SCRATCH;
  readonly #ids = createSeededIds(5);
  readonly ending = new AbortController();
  calls = 0;
  crash: { readonly at: number; readonly when: 'before' | 'after' } | null = null;
  readonly converted: string[] = [];
  readonly fetched: string[] = [];
  convert: MediaTools['convert'] | null = null;
  /** In the place of `answer`. */
  fetch: ((order: FetchRequest<unknown>) => Promise<never>) | null = null;
  answer: Exclude<FetchResult<never>, { kind: 'fetched' }> | Buffer = Buffer.from('what the address has');
  #turn = 1;

  /** A Post of these files, one by upload and one by address unless said otherwise, as its Workspace wrote it. */
  async post(
    channels: readonly string[],
    media: 'upload' | 'address' | 'both' = 'both',
    scheduledAt: number | null = this.scenario.now + 86_400_000,
  ): Promise<Post> {
    const uploaded = media === 'address' ? [] : [{ assetId: await this.upload() }];
    const inspected = { assetId: this.scenario.uuid(), contentType: 'image/png', bytes: null, problem: null } as const;
    const addressed = media === 'upload' ? [] : [{ url: 'https://pictures.test/b.png', inspected }];
    const postId = this.scenario.post({
      text: `Post ${this.#turn}`,
      channelIds: channels,
      scheduledAt,
      media: [...uploaded, ...addressed],
    });
    await this.write(postId);
    return this.scenario.postOf(postId);
  }

  /** A Post of a film, with a cover for each Channel that has one here. */
  async film(channels: readonly string[], covers: Readonly<Record<string, Cover>>): Promise<Post> {
    const channelOptions = Object.fromEntries(Object.entries(covers).map(([id, cover]) => [id, { cover }]));
    const postId = this.scenario.post({
      text: `Film ${this.#turn}`,
      channelIds: channels,
      scheduledAt: this.scenario.now + 86_400_000,
      media: [{ assetId: await this.upload(FILM) }],
      channelOptions,
    });
    await this.write(postId);
    return this.scenario.postOf(postId);
  }

  async upload(given = this.facts): Promise<string> {
    const id = this.scenario.uuid();
    const blob = `assets/${id}/original/1`;
    const content = Buffer.from(`the upload ${id}`);
    await this.blobs.put(blob, Readable.from([content]), { maxBytes: 1_000 });
    const facts = { ...given, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') };
    const announced = { contentType: given.contentType, bytes: content.length };
    const base = {
      id,
      workspaceId: this.scenario.id,
      state: 'ready',
      origin: 'upload',
      filename: 'a.png',
      announced,
      url: null,
      postId: null,
    } as const;
    const asset: Asset = {
      ...base,
      facts,
      blob,
      countedBytes: content.length,
      createdAt: this.scenario.now,
      expiresAt: null,
    };
    this.scenario.assets.set(id, asset);
    return id;
  }

  /** As the Workspace's effects do. */
  async write(postId: string): Promise<void> {
    const post = this.scenario.postOf(postId);
    const timestamp = this.#turn++;
    const row = ({
      value,
      ...key
    }: {
      partition: readonly (string | number)[];
      clustering: readonly (string | number)[];
      value: unknown;
    }) => ({ ...key, body: encodeBody(value), format: BODY_FORMAT, timestamp });
    await this.store.upsert(POSTS, [
      row(contentRow(post)),
      ...post.variants.map((variant) => row(variantRow(post, variant))),
    ]);
    await this.store.upsert(
      ASSETS,
      assetsOfPost(post).map((assetId) => row(assetRow(this.scenario.assets.get(assetId)!))),
    );
    await this.store.upsert(WORKSPACE_VIEWS, [
      row({ partition: [this.scenario.id], clustering: CHANNELS_VIEW, value: this.scenario.workspace.channels }),
    ]);
  }

  context(): MediaContext {
    const { clock, reporter, codec } = this;
    const store = this.#perilous(this.store);
    const log = this.#perilous(this.log);
    const tools: MediaTools = {
      probe: async () => {
        await this.probing?.();
        return { kind: 'known', facts: this.probed, privateParts: this.privateParts };
      },
      convert: async (request) => {
        this.converted.push(request.into);
        if (this.convert !== null) return this.convert(request);
        writeFileSync(request.into, JPEG);
        const sha256 = createHash('sha256').update(JPEG).digest('hex');
        return {
          kind: 'converted',
          contentType: 'image/jpeg',
          bytes: JPEG.length,
          sha256,
          width: 800,
          height: 600,
          durationMs: null,
          reused: false,
        };
      },
    };
    const shared = new Pools({ clock });
    const fetchAddress: MediaContext['fetchAddress'] = async (order) => {
      const { url, into } = order;
      this.fetched.push(url);
      if (this.fetch !== null) return this.fetch(order);
      if (!Buffer.isBuffer(this.answer)) return this.answer;
      const stored = await into(Readable.from([this.answer]));
      return {
        kind: 'fetched',
        bytes: this.answer.length,
        sha256: createHash('sha256').update(this.answer).digest('hex'),
        stored,
      };
    };
    return {
      ...{
        store,
        log,
        codec,
        clock,
        reporter,
        targetsOf,
        conversions: new Conversions(2, shared),
        shared,
        slices: new TimeSlices({ clock }),
        ids: this.#ids,
        disk: filesystemScratchDisk,
        scratchFolder: this.scratch,
        pools: createMediaPools(shared),
        signal: this.ending.signal,
      },
      marked: (work) => work(),
      due: createDueTimers(store),
      blobs: this.#perilous(this.blobs),
      rows: createRenditionRows(store, () => this.#ids.token()),
      tools: this.#perilous(tools),
      fetchAddress: this.#perilous({ fetchAddress }).fetchAddress,
    };
  }

  prepare({ id }: Post, tries = 0): Promise<void> {
    return preparePost(this.context(), { type: 'PrepareMedia', workspaceId: this.scenario.id, postId: id, tries });
  }

  async told(): Promise<readonly Message[]> {
    const records = Array.from({ length: WORKSPACE_COMMANDS.partitions }, (_, partition) =>
      this.log.control.records({ topic: WORKSPACE_COMMANDS.name, partition }),
    ).flat();
    return Promise.all(
      records.map(async ({ value }) => {
        const decoded = await this.codec.decode(value);
        if (!decoded.ok) throw new Error(decoded.detail);
        return decoded.message;
      }),
    );
  }

  /** Milliseconds from now of timers that are set. */
  async timers(): Promise<readonly number[]> {
    const due = createDueTimers(this.store);
    const now = this.clock.now();
    const found: number[] = [];
    for (let minute = minuteOf(now); minute <= minuteOf(now) + 20; minute++) {
      for (const { dueAt } of await due.read(shardOf(this.scenario.id), minute, null, 100)) found.push(dueAt - now);
    }
    return found;
  }

  async blobNames(): Promise<readonly string[]> {
    return (await this.blobs.list('', { after: null, limit: 1_000 })).map(({ name }) => name);
  }

  leftovers(): readonly string[] {
    return readdirSync(this.scratch);
  }

  /** Nothing happens any more once it has crashed, as in a process that died. */
  #perilous<T extends object>(port: T): T {
    const harness = this;
    return new Proxy(port, {
      get(target, name) {
        const member = Reflect.get(target, name, target);
        if (typeof member !== 'function' || name === 'localPath') return member;
        return async (...given: unknown[]) => {
          const call = harness.calls++;
          const crash = harness.crash;
          if (harness.isAway && target === harness.store) throw new PortError('unavailable', 'away');
          if (crash !== null && (call > crash.at || (call === crash.at && crash.when === 'before')))
            throw new MediaCrash();
          const result: unknown = await Reflect.apply(member, target, given);
          if (crash !== null && call === crash.at) throw new MediaCrash();
          return result;
        };
      },
    });
  }
}
