import { describe, expect, test } from 'vitest';
import type { Command } from '#domain/workspace/commands.ts';
import { aWorkspace, Scenario } from '#testing/scenario.ts';
import { findCredential } from '#tables/repositories/credentials.ts';
import {
  openWorkspaceHarness,
  type WorkspaceInterruption,
  type WorkspaceHarness,
} from './workspace-harness.fixture.ts';

const HASH = 'the hash of a value';
const MAX_STEPS = 100;

/**
 * A new Workspace with a key of this value, as two batches. Ids of every scenario are counted alike, hence an id of its
 * own.
 */
function founding(id: string): readonly (readonly Command[])[] {
  const scenario = new Scenario();
  Object.assign(scenario, { id });
  const owner = { memberId: scenario.uuid(), name: 'Ada', email: 'ada@example.test', emailVerified: true };
  const create = scenario.ask({ type: 'CreateWorkspace', name: 'W', plan: 'pro', owner });
  const key = scenario.ask({
    type: 'CreateKey',
    keyId: scenario.uuid(),
    memberId: owner.memberId,
    name: 'a key',
    permissions: [],
    tokenHash: HASH,
  });
  return [[create], [key]];
}

const [OURS, THEIRS] = [aWorkspace().uuid(), aWorkspace().id];

async function found(harness: WorkspaceHarness, id: string, interrupt?: WorkspaceInterruption): Promise<void> {
  const actor = harness.actor(id, interrupt);
  for (const batch of founding(id)) await harness.handle(actor, batch);
}

async function keysOf(harness: WorkspaceHarness, id: string): Promise<readonly string[]> {
  return Object.values((await harness.head(id)).state.keys).map(({ id: keyId }) => keyId);
}

describe.each(['partition', 'store', 'store_and_log'] as const)('whatever the instant, the atom a %s', (atom) => {
  test('of a crash, a key opens nothing before its Workspace knows it, and opens it in the end', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const harness = openWorkspaceHarness(atom);
      let steps = 0;
      const { promise: stopped, resolve } = Promise.withResolvers<string>();
      const ended = found(harness, OURS, async (step) => {
        if (++steps !== stopAt) return;
        resolve(step);
        await new Promise(() => {});
      });
      const at = await Promise.race([stopped, ended]);
      const opens = await findCredential(harness.store, HASH);
      if (opens !== null) expect(await keysOf(harness, OURS), `killed ${at}`).toContain(opens.keyId);
      await found(harness, OURS);
      expect(await findCredential(harness.store, HASH), `killed ${at}`).toMatchObject({
        workspaceId: OURS,
        keyId: (await keysOf(harness, OURS))[0],
        revoked: false,
      });
      if (at === undefined) return;
    }
    throw new Error('it never ended');
  });

  test('at which another Workspace is given the same value, one of the two has it, and it opens that one', async () => {
    for (let stopAt = 1; stopAt < MAX_STEPS; stopAt++) {
      const harness = openWorkspaceHarness(atom);
      let steps = 0;
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: stopped, resolve } = Promise.withResolvers<string>();
      const ended = found(harness, OURS, async (step) => {
        if (++steps !== stopAt) return;
        resolve(step);
        await released;
      });
      const at = await Promise.race([stopped, ended]);
      await found(harness, THEIRS);
      release();
      await ended;
      await harness.rest();
      const having = [
        ...(await keysOf(harness, OURS)).map(() => OURS),
        ...(await keysOf(harness, THEIRS)).map(() => THEIRS),
      ];
      expect(having, `held up ${at}`).toHaveLength(1);
      expect(await findCredential(harness.store, HASH), `held up ${at}`).toMatchObject({
        workspaceId: having[0],
        revoked: false,
      });
      if (at === undefined) return;
    }
    throw new Error('it never ended');
  });
});
