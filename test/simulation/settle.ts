import { createDeliveryRows, type StoredDelivery } from '#tables/repositories/deliveries.ts';
import { hasEnded } from '#domain/post/post.ts';
import { readPost } from '#tables/repositories/posts.ts';
import { isActive } from '#domain/webhook/endpoint.ts';
import { readEndpoints, readHead } from '#tables/repositories/workspaces.ts';
import { allAssets, allPosts } from './aftermath.ts';
import type { Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import { retryParked } from './operator.ts';
import { furtherRoles } from './roles.ts';
import type { World } from './world.ts';

/** Requests sent during the faults have arrived or failed by then. */
export const WIRE_EMPTY_MS = 75_000;
export const SETTLE_STEP_MS = 7_000;
export const SKIPPED_MS = 100_000;
/** Where nothing but a delivery is left, which may be tried again in an hour only. */
const LONG_SKIPPED_MS = 3_600_000;
/** Beside what the clock of a scheduler may be ahead. */
const BEFORE_DUE_MS = 600;
/** Further away than whatever clients do while they are at it, but for what they plan weeks ahead. */
const FAR_MS = 30 * 60_000;
/** A timer is read into memory five minutes before its instant: processes see it come, or find it due. */
const BEFORE_FAR_MS = 10 * 60_000;
/** At once; between two of them processes do what they do once in a while. */
const MAX_LEAP_MS = 5 * 86_400_000;
/**
 * Longer than every wait: the missed window, reconciling with a Network, and after these until lost work is found,
 * which is looked for once a minute of time that is not skipped.
 */
export const MAX_SETTLE_MS = 200 * 60_000;
/** An event is tried for a day, and once more at its end. */
const MAX_DELIVERING_MS = 26 * 3_600_000;

/** When the next thing comes due; an instant in the past: something is under way. Null: nothing is left. */
type Left = number | null;

interface SettleOptions {
  /** Days without work are skipped, so that what is due in weeks is published; left out: nothing is due so late. */
  readonly far?: Dice;
}

/** Runs in calm, and skips time in which nothing is done. False: work was still in progress when the time was up. */
export async function settle(
  world: World,
  workspaces: readonly Workspace[],
  { far }: SettleOptions = {},
): Promise<boolean> {
  const { engine } = world;
  let begun = engine.now;
  let idle = 0;
  await engine.run(engine.now + WIRE_EMPTY_MS);
  for (;;) {
    const parked = await retryParked(world);
    const instants = await instantsOfPosts(world, workspaces);
    if (far !== undefined && parked === 0 && leapTowards(world, instants, far)) begun = engine.now;
    const posts = sooner(instants, engine.now);
    const deliveries = await deliveriesLeft(world);
    const files = await filesLeft(world);
    const end = begun + (parked === 0 && posts === null && files === null ? MAX_DELIVERING_MS : MAX_SETTLE_MS);
    if (engine.now >= end) return false;
    const left = sooner([posts, deliveries, files], engine.now);
    idle = parked === 0 && left === null ? idle + 1 : 0;
    // The last Variant may have ended a moment ago: its event is on its way to become deliveries.
    if (idle > furtherRoles(world.parts).length) return true;
    if (idle === 0) skip(world, left, parked === 0 && posts === null && files === null ? LONG_SKIPPED_MS : SKIPPED_MS);
    await engine.run(engine.now + SETTLE_STEP_MS);
  }
}

/** Whether days or weeks were skipped: nothing of any Post is under way, or due soon. */
function leapTowards(world: World, instants: readonly number[], dice: Dice): boolean {
  const awayMs = Math.min(...instants) - world.engine.now;
  if (instants.length === 0 || awayMs < FAR_MS) return false;
  world.leap(Math.min(MAX_LEAP_MS, awayMs - dice.between(BEFORE_DUE_MS, BEFORE_FAR_MS)));
  world.witness.count('weeks are skipped');
  return true;
}

/** Waits are long and no process does anything meanwhile; what comes due must find its time unskipped. */
function skip(world: World, left: Left, mostMs: number): void {
  const { engine } = world;
  const skippedMs = Math.min(mostMs, (left ?? engine.now) - engine.now - BEFORE_DUE_MS - world.maxOffsetMs);
  if (left === null || left <= engine.now) world.leap(SKIPPED_MS);
  else if (skippedMs > 0) world.leap(skippedMs);
}

async function instantsOfPosts(world: World, workspaces: readonly Workspace[]): Promise<readonly number[]> {
  const instants: number[] = [];
  for (const { id } of workspaces) {
    const head = await readHead(world.truth, id);
    if (head === null || head.state.sweeps.length > 0) instants.push(0);
    else if (head.state.comingPlan !== null) instants.push(head.state.comingPlan.effectiveAt);
    for (const { variants } of await allPosts(world, id)) {
      for (const { status, dueAt, firstComment } of variants)
        if (status === 'publishing') instants.push(0);
        else if (status === 'scheduled') instants.push(dueAt);
        else if (status === 'published' && firstComment?.status === 'waiting') instants.push(0);
    }
  }
  return instants;
}

/** Uploads that nobody uses end, and what ended Posts keep, where that is soon. */
async function filesLeft(world: World): Promise<Left> {
  if (!world.parts.includes('media')) return null;
  const isOverSoon = world.settings.filesKeptDays < 1;
  const instants: number[] = [];
  for (const asset of await allAssets(world)) {
    if (world.witness.hasLost(asset.id)) continue;
    if (asset.state === 'reserved' || (asset.state === 'ready' && isOverSoon)) instants.push(asset.expiresAt ?? 0);
    else if (asset.state === 'attached' && isOverSoon) {
      const post = asset.postId === null ? null : await readPost(world.truth, asset.workspaceId, asset.postId);
      if (post !== null && hasEnded(post)) instants.push(0);
    }
  }
  return sooner(instants, world.engine.now);
}

async function deliveriesLeft(world: World): Promise<Left> {
  const { truth, witness, engine } = world;
  const rows = createDeliveryRows(truth);
  const instants: number[] = [];
  for (const id of [...witness.deliveries]) {
    const kept = witness.hasLost(id) ? null : await rows.find(id);
    if (kept?.standing.state === 'pending' && (await isAttempted(world, kept))) instants.push(kept.standing.at);
    else witness.deliveries.delete(id);
  }
  return sooner(instants, engine.now);
}

/** Of an endpoint that ended, what was not begun is not begun any more. */
async function isAttempted({ truth }: World, { workspaceId, endpointId, attempts }: StoredDelivery): Promise<boolean> {
  return attempts.length > 0 || isActive((await readEndpoints(truth, workspaceId))[endpointId]);
}

/** What is under way may wait for long; what comes due first has its time all the same. */
function sooner(instants: readonly Left[], now: number): Left {
  const some = instants.filter((instant) => instant !== null);
  if (some.length === 0) return null;
  const coming = some.filter((instant) => instant > now);
  return coming.length > 0 ? Math.min(...coming) : 0;
}
