import { sendCommand } from '#commands/send-command.ts';
import type { Post } from '#domain/post/post.ts';
import { allPosts } from './aftermath.ts';
import { SimulatedCaller, type Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import type { World } from './world.ts';

/** Of the Posts that wait in the copy. */
const EDITED_SHARE = 0.5;
const MOVED_SHARE = 0.5;
/** Of the Channels. */
const LOST_SHARE = 0.2;
const SOONEST_MS = 65_000;
const LATEST_MS = 200_000;

/**
 * What happens to an installation that was just restored, within `forMs`: Members move Posts that wait, or write them
 * anew in the same words, and a Network refuses the tokens of a Channel, since the first installation replaced them.
 */
export async function disturbCopy(world: World, workspaces: readonly Workspace[], forMs: number): Promise<void> {
  const { engine, script, trace, codec } = world;
  const log = world.log.client('the copy');
  const dice = engine.diceOf('the copy');
  const caller = new SimulatedCaller(world);
  const refused = { type: 'MarkChannel', state: 'needs_reconnect' } as const;
  let count = 0;
  const later = (what: string, act: (own: Dice) => Promise<unknown>): void => {
    const id = `copy/${++count}`;
    const own = engine.diceOf(id);
    const done = async (): Promise<void> => {
      await caller.pause(own.random() * forMs);
      if (!script.step(id, what)) return;
      trace.add(engine.now, 'copy', what);
      await act(own);
    };
    void done().catch(() => {});
  };
  for (const workspace of workspaces) {
    for (const channelId of Object.values(workspace.channels))
      if (dice.chance(LOST_SHARE))
        later(`lose channel ${channelId}`, () =>
          sendCommand({ log, codec }, { ...refused, channelId, workspaceId: workspace.id, seenAt: engine.now }),
        );
    for (const post of await allPosts(world, workspace.id)) {
      if (!post.variants.every(({ status }) => status === 'scheduled') || !dice.chance(EDITED_SHARE)) continue;
      const isMove = dice.chance(MOVED_SHARE);
      later(`${isMove ? 'move' : 'replace'} ${post.id}`, (own) => {
        const scheduledAt = engine.now + own.between(SOONEST_MS, LATEST_MS);
        return isMove
          ? caller.move(workspace, post.id, { scheduledAt, idempotencyKey: null })
          : caller.replace(workspace, post.id, { post: sameWords(post, scheduledAt), idempotencyKey: null });
      });
    }
  }
}

function sameWords({ text, variants }: Post, scheduledAt: number) {
  const channelIds = [...new Set(variants.map(({ channelId }) => channelId))];
  return { text, channelIds, media: [], channelOptions: {}, scheduledAt };
}
