import { lookAround, type Aftermath, type Violation } from './aftermath.ts';
import { noDefects } from './checks/no-defects.ts';
import { nothingIsStuck } from './checks/nothing-stuck.ts';
import { settle, SETTLE_STEP_MS, WIRE_EMPTY_MS } from './settle.ts';
import { until } from './until.ts';
import type { ReceivedEvent } from './web/receivers.ts';
import { Client } from './workload.ts';
import type { World } from './world.ts';

const SHARE = 0.4;
/** Longer than it takes, without faults, from a request to the webhook about its outcome. */
const TOLD_WITHIN_MS = 120_000;
const LEAP_MS = 5 * 86_400_000;
/** Longer than the rows of a delivery are kept. */
const LEAPS = 8;

/** Where log and store are one, a turn owes nothing once it stands. */
export function drawIsMonthLater({ engine, isOneEngine, parts, script }: World): boolean {
  return (
    parts.includes('webhooks') &&
    !isOneEngine &&
    engine.diceOf('month').chance(SHARE) &&
    script.step('month', 'a month without owners')
  );
}

/**
 * An event is not delivered again from an outbox that outlived the rows of its delivery. Once all other checks are
 * made, without faults: the owners of Workspaces are killed within the second after a turn in which its outbox is still
 * in the head, when the webhook of that turn has arrived. They start after the retention of deliveries, and another
 * Post loads the Workspace, so that the outbox is carried out once more.
 */
export async function aMonthLater({ world, history, workspaces }: Aftermath): Promise<readonly Violation[]> {
  const { engine, witness } = world;
  const workspace = engine.diceOf('month of a Workspace').pick(workspaces);
  const client = new Client(world, history, 'month', [workspace]);
  const told = received(world).length;
  void client.run(1, { 'create now': 1 });
  await engine.run(engine.now + TOLD_WITHIN_MS, () => received(world).length > told);
  if (received(world).length === told) return [];
  const slots = world.up('workspace').map(({ slot }) => slot);
  world.kill(['workspace']);
  await engine.run(engine.now + WIRE_EMPTY_MS);
  for (let leaps = 0; leaps < LEAPS; leaps++) {
    world.leap(LEAP_MS);
    await engine.run(engine.now + SETTLE_STEP_MS);
  }
  const before = new Set(received(world));
  for (const slot of slots) world.start(slot);
  witness.count('a month without owners');
  await until(world, client.run(1, { 'create now': 1 }));
  const after = await lookAround(world, history, workspaces, await settle(world, workspaces));
  return [...(await noDefects(after)), ...(await nothingIsStuck(after)), ...toldAgain(before, received(world))];
}

function received({ receivers }: World): readonly ReceivedEvent[] {
  return receivers.all.flatMap(({ events }) => events);
}

function toldAgain(before: ReadonlySet<ReceivedEvent>, all: readonly ReceivedEvent[]): readonly Violation[] {
  const known = new Set([...before].map(({ url, eventId }) => `${url} ${eventId}`));
  return all
    .filter((event) => !before.has(event) && known.has(`${event.url} ${event.eventId}`))
    .map(({ url, eventId }) => ({
      check: 'nothing is told a month later',
      detail: `event ${eventId} came to ${url} again, which it had reached a month before`,
      about: [eventId],
    }));
}
