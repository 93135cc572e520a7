import { describe, expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { MemoryTables } from '#adapters/memory/memory-tables.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PortError } from '#ports/errors.ts';
import { until } from '#testing/until.ts';
import { createCredentialUses, readLastUse } from './credential-uses.ts';

const NOTED = { what: 'the use was noted' };
const NOON = Date.UTC(2026, 10, 20, 12);

/** Two replicas over one table; `fail`: their stores can not be reached. */
function replicas() {
  const clock = createMemoryClock(NOON);
  const tables = new MemoryTables();
  const failures: string[] = [];
  const state = { writes: 0, fail: false };
  const hooks = {
    before: async ({ name }: { name: string }) => {
      if (state.fail) throw new PortError('unavailable', 'away');
      if (name === 'compareAndSet') state.writes += 1;
    },
    after: async () => {},
  };
  const store = createMemoryTableStore({ clock, tables, hooks });
  const failed = (credentialId: string) => void failures.push(credentialId);
  const uses = [1, 2].map((seed) => createCredentialUses({ store, clock, ids: createSeededIds(seed), failed }));
  const lastUse = () => readLastUse(createMemoryTableStore({ clock, tables }), 'a');
  return { clock, failures, state, lastUse, uses: uses as [(typeof uses)[0], (typeof uses)[0]] };
}

describe("a credential's last use", () => {
  test('is unknown until it is used, and then known to the minute', async () => {
    const { clock, uses, lastUse } = replicas();
    expect(await lastUse()).toBeNull();
    clock.moveWall(90_500);
    uses[0].noteUse('a');
    await until(async () => (await lastUse()) === NOON + 60_000, NOTED);
  });

  test('is written once a minute, however often and on however many replicas it is used', async () => {
    const { clock, uses, state, lastUse } = replicas();
    for (let use = 0; use < 100; use++) uses[0].noteUse('a');
    await until(async () => (await lastUse()) === NOON, NOTED);
    for (let use = 0; use < 100; use++) for (const replica of uses) replica.noteUse('a');
    clock.moveWall(60_000);
    uses[1].noteUse('a');
    await until(async () => (await lastUse()) === NOON + 60_000, NOTED);
    expect(state.writes).toBe(2);
  });

  test('never goes back', async () => {
    const { clock, uses, state, lastUse } = replicas();
    clock.moveWall(120_000);
    uses[0].noteUse('a');
    await until(async () => (await lastUse()) === NOON + 120_000, NOTED);
    clock.moveWall(-60_000);
    uses[1].noteUse('a');
    clock.moveWall(120_000);
    uses[1].noteUse('a');
    await until(async () => (await lastUse()) === NOON + 180_000, NOTED);
    expect(state.writes).toBe(2);
  });

  test('that can not be written is reported, hinders nobody, and the next one is written', async () => {
    const { clock, uses, state, failures, lastUse } = replicas();
    state.fail = true;
    uses[0].noteUse('a');
    await until(() => failures.length === 1, NOTED);
    expect(failures).toEqual(['a']);
    state.fail = false;
    clock.moveWall(60_000);
    uses[0].noteUse('a');
    await until(async () => (await lastUse()) === NOON + 60_000, NOTED);
  });
});
