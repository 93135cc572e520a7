import type { HoldScope } from '#domain/publishing-holds.ts';
import { holdScope, releaseScope } from '#tables/repositories/publishing-holds.ts';
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

const NETWORKS = ['x', 'threads'] as const;

/** Any scope: a Network or all of them, a Workspace or all of them. */
export function drawScope({ witness, workspaceIds }: World, dice: Dice): HoldScope {
  const network = dice.chance(0.5) ? dice.pick(NETWORKS) : null;
  const workspaceId = workspaceIds.length > 0 && dice.chance(0.5) ? dice.pick(workspaceIds) : null;
  witness.count(`hold of ${network === null ? 'all' : 'a'} Network, ${workspaceId === null ? 'all' : 'a'} Workspace`);
  return { network, workspaceId };
}

/** As an operator does whose process and store are well. */
export async function hold(world: World, scope: HoldScope): Promise<void> {
  const { engine, witness, trace } = world;
  const { isNew } = await holdScope(writerOf(world), {
    ...scope,
    holder: 'operator',
    reason: 'a drill',
    since: engine.now,
    by: 'operator',
  });
  if (isNew) witness.holds.push({ ...scope, from: engine.now, until: null });
  trace.add(engine.now, 'nemesis', `holds ${wordsOf(scope)}`);
}

export async function release(world: World, scope: HoldScope): Promise<void> {
  const { engine, witness, trace } = world;
  for (const held of witness.holds)
    if (held.until === null && held.network === scope.network && held.workspaceId === scope.workspaceId)
      held.until = engine.now;
  await releaseScope(writerOf(world), { ...scope, holder: 'operator' }, engine.now);
  trace.add(engine.now, 'nemesis', `releases ${wordsOf(scope)}`);
}

export async function releaseAll(world: World): Promise<void> {
  for (const held of [...world.witness.holds]) if (held.until === null) await release(world, held);
}

function writerOf({ truth, engine }: World) {
  return { store: truth, ids: { token: () => `operator ${engine.now} ${engine.random()}` } };
}

function wordsOf({ network, workspaceId }: HoldScope): string {
  return `${network ?? 'every Network'} in ${workspaceId ?? 'every Workspace'}`;
}
