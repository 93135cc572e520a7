import type { Dice } from './dice.ts';
import { groupsOf } from './groups.ts';
import { SETTLE_STEP_MS, SKIPPED_MS } from './settle.ts';
import type { NetworkCall } from './witness.ts';
import type { Client } from './workload.ts';
import type { World } from './world.ts';

/** Longer than a Network is asked that can not be. */
const SUSPENDED_MS = 25 * 60_000;
/** Of time that is not skipped, longer than it takes to get to its end. */
const STOPPED_MS = 300_000;
const MAX_TRIES = 4;
/** A client waits before each deed, and a command for its turn. */
const SENT_WITHIN_MS = 30_000;
/** For as long as it is suspended, X lists no posts. */
const UNLISTED = { network: 'x', fault: '5xx_before_commit', call: 'users.tweets', count: 1_000 };

/**
 * In calm, as when a virtual machine is suspended: a publisher stops while the call that publishes is on its way, and
 * goes on half an hour later with the answer. By then another one has taken its place, could not find out what became
 * of the call, and has said so.
 */
export async function suspendSender(world: World, client: Client, dice: Dice): Promise<void> {
  const { engine, witness } = world;
  await world.control('POST', '/sandbox/faults', UNLISTED);
  const sending = await nextSend(world, client);
  const sender = sending && world.up('publisher').find(({ name }) => name === sending.by);
  if (sender != null) {
    const end = engine.now + SUSPENDED_MS + dice.between(0, SKIPPED_MS);
    witness.disturb('suspended', engine.now, end);
    witness.count('a sender is suspended');
    world.onAimed(sender, STOPPED_MS);
    while (engine.now < end) {
      await engine.run(engine.now + SETTLE_STEP_MS);
      world.leap(SKIPPED_MS);
    }
    if (sender.mode === 'paused') world.wake(sender);
    for (const group of groupsOf(world.parts)) world.log.control.rebalance(group.name);
  }
  await world.control('DELETE', '/sandbox/faults');
}

/** Null: nothing was sent to X. */
async function nextSend({ engine, witness }: World, client: Client): Promise<NetworkCall | null> {
  const before = witness.calls.length;
  const found = (): NetworkCall | undefined =>
    witness.calls
      .slice(before)
      .find(({ kind, network, endedAt }) => kind === 'publish' && network === 'x' && endedAt === null);
  for (let tries = 0; tries < MAX_TRIES && found() === undefined; tries++) {
    void client.run(1, { 'create now': 1 });
    await engine.run(engine.now + SENT_WITHIN_MS, () => found() !== undefined);
  }
  return found() ?? null;
}
