import { createHash } from 'node:crypto';
import { readHead } from '#tables/repositories/workspaces.ts';
import type { SimulatedCaller, Workspace } from './caller.ts';
import type { Dice } from './dice.ts';
import { freshId } from './fresh-id.ts';
import type { Recorder } from './recorder.ts';
import type { World } from './world.ts';

/** More than a Workspace has room for: as JSON each is 1,500 bytes. */
const KEYS = 320;
/** More in one turn take longer than who asks waits. */
const AT_ONCE = 16;
const LONG_NAME = '\u0001'.repeat(200);

export interface KeyDeedsOptions {
  readonly world: World;
  readonly recorder: Recorder;
  readonly caller: Pick<SimulatedCaller, 'tell'>;
}

/** Makes keys until there is no room, revokes all of them, and makes another one. */
export async function fillWithKeys(options: KeyDeedsOptions, workspace: Workspace, dice: Dice): Promise<void> {
  const { engine, witness } = options.world;
  const begunAt = engine.now;
  const ids = Array.from({ length: KEYS + 1 }, () => freshId(options.world, dice, workspace.id));
  const last = ids.pop()!;
  await aFewAtATime(ids, (keyId) => make(options, workspace, keyId));
  await look(options, workspace, false);
  await aFewAtATime(ids, (keyId) => revoke(options, workspace, keyId));
  const isDecided = await make(options, workspace, last);
  await look(options, workspace, isDecided);
  await revoke(options, workspace, last);
  // Its Posts wait behind hundreds of commands.
  witness.disturb('many keys', begunAt, engine.now);
}

async function aFewAtATime(ids: readonly string[], ask: (keyId: string) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < ids.length; at += AT_ONCE) await Promise.all(ids.slice(at, at + AT_ONCE).map(ask));
}

/** Whether it was made, or there was no room for it. */
async function make({ caller }: KeyDeedsOptions, { id, ownerId }: Workspace, keyId: string): Promise<boolean> {
  const result = await caller.tell({
    type: 'CreateKey',
    workspaceId: id,
    keyId,
    memberId: ownerId,
    name: LONG_NAME,
    permissions: ['posts:schedule'],
    tokenHash: createHash('sha256').update(keyId).digest('hex'),
  });
  return result !== null && (result.ok || result.code === 'too_large');
}

async function revoke({ caller }: KeyDeedsOptions, { id }: Workspace, keyId: string): Promise<void> {
  await caller.tell({ type: 'RevokeKey', workspaceId: id, keyId });
}

/** Writes down how large the Workspace is, and how much of that has ended. */
async function look({ world, recorder }: KeyDeedsOptions, workspace: Workspace, isDecided: boolean): Promise<void> {
  const opened = recorder.opened(workspace);
  const head = await readHead(world.truth, workspace.id);
  if (head === null) return;
  const ended = Object.values(head.state.keys).filter(({ revoked }) => revoked);
  const sizes = { stateBytes: bytesOf(head.state), endedBytes: isDecided ? bytesOf(ended) : null };
  recorder.close(recorder.history.add({ kind: 'size', ...opened, ...sizes }), { ok: true, value: null });
}

function bytesOf(value: unknown): number {
  return JSON.stringify(value).length;
}
