import type { PrepareMedia } from '#messages/messages.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';
import { variantNumberOf } from '#domain/post/ids.ts';
import type { Variant } from '#domain/post/post.ts';
import { setTimers } from '#outbox/timers.ts';
import { sendCommand } from '#commands/send-command.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { readPost } from '#tables/repositories/posts.ts';
import type { StoredFile } from '#tables/repositories/renditions.ts';
import { MEDIA_JOBS, shardOf } from '#tables/declarations/topics.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { fetchFile, type FetchedFile } from './fetch-file.ts';
import { makeRendition, type RenditionResult, type RenditionInput } from './make-rendition.ts';
import type { JobContext, MediaContext } from './dependencies.ts';
import { Scratch } from './scratch.ts';
import { WorkAbandoned, waitersOf } from './abandonment.ts';

/** Waits before an address that could not be reached is asked again; after the last of them the Variants fail. */
const FETCH_AGAIN_MS = [5_000, 30_000, 120_000, 600_000] as const;

/**
 * Makes a Post's files ready for those of its Variants that wait for them. Each Variant is reported to the Workspace as
 * soon as its own files are ready. Steps that were done before are found and not done again, so this can be cut off
 * anywhere and begun anew by any process. Rejects with `PortError`.
 */
export async function preparePost(context: MediaContext, job: PrepareMedia): Promise<void> {
  const { pools, marked, signal, store, scratchFolder, ids, clock, blobs } = context;
  const post = await pools.jobs.run(
    { workspace: job.workspaceId },
    () => marked(() => readPost(store, job.workspaceId, job.postId)),
    signal,
  );
  if (post === null || waitersOf(post).length === 0) return;
  await using scratch = new Scratch(scratchFolder, ids.uuid7(clock.now()), blobs);
  try {
    await prepare({ ...context, scratch, post }, job);
  } catch (error) {
    if (!(error instanceof WorkAbandoned)) throw error;
    context.reporter.report('media-preparation-abandoned', { workspaceId: post.workspaceId, postId: post.id });
  }
}

async function prepare(context: JobContext, job: PrepareMedia): Promise<void> {
  const { post } = context;
  const waiting = waitersOf(post);
  const fetched = await allEnded(post.media.map(({ assetId }) => fetchMedia(context, assetId)));
  const lost = fetched.find(({ kind }) => kind === 'lost');
  if (lost?.kind === 'lost') return fail(context, waiting, lost.detail);
  const away = fetched.find(({ kind }) => kind === 'away');
  if (away?.kind === 'away') return tryLater(context, job, waiting, away.detail);
  const sources = fetched.flatMap((each, index): RenditionInput[] =>
    each.kind === 'here' ? [{ assetId: post.media[index]!.assetId, file: each.file }] : [],
  );
  await prepareVariants(context, waiting, sources);
}

async function fetchMedia(context: JobContext, assetId: string): Promise<FetchedFile> {
  const asset = await readAsset(context.store, context.post.workspaceId, assetId);
  return asset === null
    ? { kind: 'lost', detail: 'A file of this Post is not kept any more.' }
    : fetchFile(context, asset);
}

async function prepareVariants(
  context: JobContext,
  waiting: readonly Variant[],
  sources: readonly RenditionInput[],
): Promise<void> {
  const channels = await readChannels(context.store, context.post.workspaceId);
  const underWay = new Map<string, Promise<RenditionResult>>();
  /** Networks whose targets agree share one rendition. */
  const renditionOf = (source: RenditionInput, target: Target): Promise<RenditionResult> => {
    const name = `${source.assetId} ${renditionKey(target)}`;
    const making = underWay.get(name) ?? makeRendition(context, source, target);
    underWay.set(name, making);
    return making;
  };
  const prepare = async (variant: Variant): Promise<void> => {
    const accountKind = channels[variant.channelId]?.kind ?? '';
    const wanted = context.targetsOf(
      variant.network,
      variant.placement,
      sources.map(({ file }) => file),
      accountKind,
    );
    if (wanted.kind === 'problems') return fail(context, [variant], wanted.problems.join(' '));
    const results = await allEnded(sources.map((source, index) => renditionOf(source, wanted.targets[index]!)));
    const refused = results.find((result) => result.kind !== 'made');
    if (refused !== undefined) return fail(context, [variant], refused.words);
    await ready(
      context,
      variant,
      results.flatMap((result) => (result.kind === 'made' ? [result.file] : [])),
    );
  };
  await allEnded(waiting.map(prepare));
}

/** Rejects only when all have ended, so that no work goes on after its job has failed. */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

async function ready(
  context: JobContext,
  { id, network, dueAt }: Variant,
  files: readonly StoredFile[],
): Promise<void> {
  const { id: postId, workspaceId } = context.post;
  await context.rows.setFiles(postId, id, files);
  await sendCommand(context, { type: 'MediaPrepared', workspaceId, postId, variants: [variantNumberOf(id)] });
  context.reporter.report('media-preparation-ended', {
    network,
    outcome: 'ready',
    latenessMs: Math.max(0, context.clock.now() - dueAt),
  });
}

async function fail(context: JobContext, variants: readonly Variant[], detail: string): Promise<void> {
  const { id: postId, workspaceId } = context.post;
  for (const [attempt, of] of Map.groupBy(variants, (variant) => variant.attempt)) {
    await sendCommand(context, {
      type: 'MediaFailed',
      workspaceId,
      postId,
      attempt,
      variants: of.map(({ id }) => variantNumberOf(id)),
      detail,
    });
  }
  for (const { network } of variants)
    context.reporter.report('media-preparation-ended', { network, outcome: 'failed' });
}

async function tryLater(
  context: JobContext,
  job: PrepareMedia,
  waiting: readonly Variant[],
  detail: string,
): Promise<void> {
  const { post } = context;
  const waitMs = FETCH_AGAIN_MS[job.tries];
  if (waitMs === undefined) return fail(context, waiting, detail);
  const message = { ...job, tries: job.tries + 1 };
  const dueAt = context.clock.now() + waitMs;
  const timerId = `media ${post.id} ${Math.max(...waiting.map(({ attempt }) => attempt))} ${message.tries}`;
  await setTimers(context, [
    { shard: shardOf(post.workspaceId), timerId, dueAt, topic: MEDIA_JOBS.name, key: post.id, message },
  ]);
}
