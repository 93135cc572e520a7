import type { PrepareMedia } from '#messages/messages.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';
import { variantNumberOf } from '#domain/post/ids.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import { setTimers } from '#outbox/timers.ts';
import { tell } from '#commands/send-command.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { readPost } from '#tables/repositories/posts.ts';
import type { StoredFile } from '#tables/repositories/renditions.ts';
import { MEDIA_JOBS, shardOf } from '#tables/declarations/topics.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { bringFile, type Brought } from './fetch-file.ts';
import { makeRendition, type Made, type Source } from './make-rendition.ts';
import type { Workshop } from './dependencies.ts';
import { Scratch } from './scratch.ts';
import { NobodyWaits, waitingOf } from './while-waited-for.ts';

/** Waits before an address that could not be reached is asked again; when they are used up, the Variants fail. */
const FETCH_AGAIN_MS = [5_000, 30_000, 120_000, 600_000] as const;

/**
 * Makes a Post's files ready for those of its Variants that wait for them, each told the moment its own are. Whatever was done before is
 * found and not done again, so it can be cut off anywhere and begun anew by anybody. Rejects with `PortError`.
 */
export async function preparePost(workshop: Workshop, job: PrepareMedia): Promise<void> {
  const { lanes, marked, signal, store, scratchFolder, ids, clock, blobs } = workshop;
  const post = await lanes.jobs.run(job.workspaceId, () => marked(() => readPost(store, job.workspaceId, job.postId)), signal);
  if (post === null || waitingOf(post).length === 0) return;
  await using scratch = new Scratch(scratchFolder, ids.uuid7(clock.now()), blobs);
  try {
    await prepare(workshop, scratch, job, post);
  } catch (error) {
    if (!(error instanceof NobodyWaits)) throw error;
    workshop.reporter.report('preparing-ended', { workspaceId: post.workspaceId, postId: post.id });
  }
}

async function prepare(workshop: Workshop, scratch: Scratch, job: PrepareMedia, post: Post): Promise<void> {
  const waiting = waitingOf(post);
  const brought = await allEnded(post.media.map(({ assetId }) => bring(workshop, scratch, post, assetId)));
  const lost = brought.find(({ kind }) => kind === 'lost');
  if (lost?.kind === 'lost') return fail(workshop, post, waiting, lost.detail);
  const away = brought.find(({ kind }) => kind === 'away');
  if (away?.kind === 'away') return tryLater(workshop, job, post, waiting, away.detail);
  const sources = brought.flatMap((each, index): Source[] => (each.kind === 'here' ? [{ assetId: post.media[index]!.assetId, file: each.file }] : []));
  await prepareVariants(workshop, scratch, post, waiting, sources);
}

async function bring(workshop: Workshop, scratch: Scratch, post: Post, assetId: string): Promise<Brought> {
  const asset = await readAsset(workshop.store, post.workspaceId, assetId);
  return asset === null ? { kind: 'lost', detail: 'A file of this Post is not kept any more.' } : bringFile(workshop, scratch, post, asset);
}

async function prepareVariants(workshop: Workshop, scratch: Scratch, post: Post, waiting: readonly Variant[], sources: readonly Source[]): Promise<void> {
  const channels = await readChannels(workshop.store, post.workspaceId);
  const under = new Map<string, Promise<Made>>();
  /** Networks whose targets agree share what is made. */
  const made = (source: Source, target: Target): Promise<Made> => {
    const name = `${source.assetId} ${renditionKey(target)}`;
    const making = under.get(name) ?? makeRendition(workshop, scratch, post, source, target);
    under.set(name, making);
    return making;
  };
  const prepare = async (variant: Variant): Promise<void> => {
    const accountKind = channels[variant.channelId]?.kind ?? '';
    const wanted = workshop.targetsOf(variant.network, variant.placement, sources.map(({ file }) => file), accountKind);
    if (wanted.kind === 'problems') return fail(workshop, post, [variant], wanted.problems.join(' '));
    const results = await allEnded(sources.map((source, index) => made(source, wanted.targets[index]!)));
    const refused = results.find((result) => result.kind !== 'made');
    if (refused !== undefined) return fail(workshop, post, [variant], refused.words);
    await ready(workshop, post, variant, results.flatMap((result) => (result.kind === 'made' ? [result.file] : [])));
  };
  await allEnded(waiting.map(prepare));
}

/** Nothing goes on behind who asked: what fails is told when the others have ended too. */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function ready(workshop: Workshop, { id: postId, workspaceId }: Post, { id, network, dueAt }: Variant, files: readonly StoredFile[]): Promise<void> {
  await workshop.rows.setFiles(postId, id, files);
  await tell(workshop, { type: 'MediaPrepared', workspaceId, postId, variants: [variantNumberOf(id)] });
  workshop.reporter.report('media-prepared', { network, outcome: 'ready', latenessMs: Math.max(0, workshop.clock.now() - dueAt) });
}

async function fail(workshop: Workshop, { id: postId, workspaceId }: Post, variants: readonly Variant[], detail: string): Promise<void> {
  for (const [attempt, of] of Map.groupBy(variants, (variant) => variant.attempt)) {
    await tell(workshop, { type: 'MediaFailed', workspaceId, postId, attempt, variants: of.map(({ id }) => variantNumberOf(id)), detail });
  }
  for (const { network } of variants) workshop.reporter.report('media-prepared', { network, outcome: 'failed' });
}

async function tryLater(workshop: Workshop, job: PrepareMedia, post: Post, waiting: readonly Variant[], detail: string): Promise<void> {
  const waitMs = FETCH_AGAIN_MS[job.tries];
  if (waitMs === undefined) return fail(workshop, post, waiting, detail);
  const message = { ...job, tries: job.tries + 1 };
  const dueAt = workshop.clock.now() + waitMs;
  const timerId = `media ${post.id} ${Math.max(...waiting.map(({ attempt }) => attempt))} ${message.tries}`;
  await setTimers(workshop, [{ shard: shardOf(post.workspaceId), timerId, dueAt, topic: MEDIA_JOBS.name, key: post.id, message }]);
}
