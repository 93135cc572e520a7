import type { TraceCarrier } from '#domain/traceparent.ts';
import { NO_TRACER, type Tracer, type TraceSpan } from '#ports/tracer.ts';
import type { PrepareMedia } from '#messages/messages.ts';
import { renditionKey, type Target } from '#domain/media/target.ts';
import { variantNumberOf } from '#domain/post/ids.ts';
import { coverOfVariant } from '#domain/post/covers.ts';
import type { Post, Variant } from '#domain/post/post.ts';
import { setTimers } from '#outbox/timers.ts';
import { sendCommand } from '#commands/send-command.ts';
import { readAsset } from '#tables/repositories/assets.ts';
import { readPost } from '#tables/repositories/posts.ts';
import type { VariantFiles } from '#tables/repositories/renditions.ts';
import { MEDIA_JOBS, shardOf } from '#tables/declarations/topics.ts';
import { readChannels } from '#tables/repositories/workspaces.ts';
import { coverOrderOf, ofCover, type PostInputs } from './cover-order.ts';
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
  const { pools, marked, signal, store, disk, scratchFolder, ids, clock, blobs } = context;
  const post = await pools.jobs.run(
    { workspace: job.workspaceId },
    () => marked(() => readPost(store, job.workspaceId, job.postId)),
    signal,
  );
  if (post === null || waitersOf(post).length === 0) return;
  await using scratch = new Scratch(disk, scratchFolder, ids.uuid7(clock.now()), blobs);
  const span = startPreparation(context.tracer ?? NO_TRACER, job);
  const trace = span.trace ?? job.trace;
  try {
    await prepare({ ...context, scratch, post, ...(trace !== undefined && { trace }) }, job);
    span.end();
  } catch (error) {
    span.end(error instanceof WorkAbandoned ? 'abandoned' : 'failed');
    if (!(error instanceof WorkAbandoned)) throw error;
    context.reporter.report('media-preparation-abandoned', { workspaceId: post.workspaceId, postId: post.id });
  }
}

async function prepare(context: JobContext, job: PrepareMedia): Promise<void> {
  const { post } = context;
  const waiting = waitersOf(post);
  const covers = new Set(waiting.flatMap((variant) => coverPictureOf(post, variant) ?? []));
  const ids = [...new Set([...post.media.map(({ assetId }) => assetId), ...covers])];
  const fetched = new Map(
    await allEnded(ids.map(async (assetId) => [assetId, await fetchMedia(context, assetId)] as const)),
  );
  const media = post.media.map(({ assetId }) => fetched.get(assetId)!);
  const lost = media.find(({ kind }) => kind === 'lost');
  if (lost?.kind === 'lost') return fail(context, waiting, lost.detail);
  const away = media.find(({ kind }) => kind === 'away');
  if (away?.kind === 'away') return tryLater(context, job, waiting, away.detail);
  const inputs = [...fetched].flatMap(([assetId, each]): RenditionInput[] =>
    each.kind === 'here' ? [{ assetId, file: each.file }] : [],
  );
  await prepareVariants(context, await withCovers(context, job, waiting, fetched), {
    sources: inputs.slice(0, post.media.length),
    pictures: new Map(inputs.map((input) => [input.assetId, input])),
  });
}

/** The asset that is the cover of a Variant; null: it has none, or an instant of the video. */
function coverPictureOf({ channelOptions }: Post, variant: Variant): string | null {
  const cover = coverOfVariant(variant, channelOptions);
  return cover?.kind === 'picture' ? cover.assetId : null;
}

/** Those whose covers are here. A cover that is not concerns only the Variants that have it. */
async function withCovers(
  context: JobContext,
  job: PrepareMedia,
  waiting: readonly Variant[],
  fetched: ReadonlyMap<string, FetchedFile>,
): Promise<readonly Variant[]> {
  const groups = Map.groupBy(waiting, (variant) => coverPictureOf(context.post, variant));
  const away: Variant[] = [];
  let whyAway = '';
  for (const [assetId, variants] of groups) {
    const cover = assetId === null ? undefined : fetched.get(assetId);
    if (cover === undefined || cover.kind === 'here') continue;
    groups.delete(assetId);
    if (cover.kind === 'lost') await fail(context, variants, ofCover(cover.detail));
    else {
      away.push(...variants);
      whyAway = ofCover(cover.detail);
    }
  }
  if (away.length > 0) await tryLater(context, job, away, whyAway);
  return [...groups.values()].flat();
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
  { sources, pictures }: PostInputs,
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
    const order = coverOrderOf(context.post, variant, { rules: wanted.cover, sources, pictures });
    if (order.kind === 'problem') return fail(context, [variant], order.words);
    const results = await allEnded([
      ...sources.map((source, index) => renditionOf(source, wanted.targets[index]!)),
      ...(order.kind === 'make' ? [renditionOf(order.source, order.target)] : []),
    ]);
    const files = results.slice(0, sources.length);
    const refused = files.find((result) => result.kind !== 'made');
    if (refused !== undefined) return fail(context, [variant], refused.words);
    const cover = results[sources.length];
    if (cover !== undefined && cover.kind !== 'made') return fail(context, [variant], ofCover(cover.words));
    await ready(context, variant, {
      files: files.flatMap((result) => (result.kind === 'made' ? [result.file] : [])),
      cover: cover?.file ?? null,
    });
  };
  await allEnded(waiting.map(prepare));
}

/** Rejects only when all have ended, so that no work goes on after its job has failed. */
async function allEnded<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}

function startPreparation(tracer: Tracer, { trace, workspaceId, postId }: PrepareMedia): TraceSpan {
  if (!tracer.isOn) return tracer.start(MEDIA_JOBS.name, { kind: 'consumer' });
  const attributes = {
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': MEDIA_JOBS.name,
    'crier.workspace.id': workspaceId,
    'crier.post.id': postId,
  };
  return tracer.start(`process ${MEDIA_JOBS.name}`, { kind: 'consumer', parent: trace, attributes });
}

function inTraceOf({ trace }: TraceCarrier): TraceCarrier {
  return trace === undefined ? {} : { trace };
}

async function ready(
  context: JobContext,
  { id, network, dueAt, scheduledAt }: Variant,
  files: VariantFiles,
): Promise<void> {
  const { id: postId, workspaceId } = context.post;
  await context.rows.setFiles(postId, id, files);
  const variants = [variantNumberOf(id)];
  await sendCommand(context, { type: 'MediaPrepared', workspaceId, postId, variants, ...inTraceOf(context) });
  context.reporter.report('media-preparation-ended', {
    ...{ network, workspaceId, postId, variantId: id },
    outcome: 'ready',
    // Files of what is due at once, or was tried again, can be ready at no earlier instant.
    latenessMs: scheduledAt === dueAt ? Math.max(0, context.clock.now() - dueAt) : null,
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
      ...inTraceOf(context),
    });
  }
  for (const { id: variantId, network } of variants)
    context.reporter.report('media-preparation-ended', { network, workspaceId, postId, variantId, outcome: 'failed' });
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
    {
      shard: shardOf(post.workspaceId),
      timerId,
      dueAt,
      topic: MEDIA_JOBS.name,
      key: post.id,
      message,
      ...inTraceOf(job),
    },
  ]);
}
