import { describe, expect, test } from 'vitest';
import type { Message } from '#messages/messages.ts';
import { openConsumerHarness, type ConsumerHarness } from './consumer-harness.fixture.ts';
import type { Gathering } from './gathering.ts';

const GATHERING: Gathering = { types: new Set(['MarkChannel']), forMs: 50 };
const HURRIED: Message = { type: 'PlanDue', workspaceId: 'a' };

async function openReader(options: { readonly maxBatch?: number } = {}) {
  const harness = openConsumerHarness();
  const batches: (readonly (number | string)[])[] = [];
  const reader = await harness.consumer('one', {
    gathering: GATHERING,
    ...options,
    handle: async (_key, messages) =>
      void batches.push(messages.map((each) => (each.type === 'MarkChannel' ? each.seenAt : each.type))),
  });
  return { ...harness, batches, reader };
}

/** Lets all that waits for no timer happen. */
const soon = ({ clock }: Pick<ConsumerHarness, 'clock'>): Promise<void> => clock.advance(0);

describe('records that may wait for more of their key', () => {
  test('are handled at once after a pause, and then together with those of a moment', async () => {
    const { append, batches, clock, reader } = await openReader();
    await append('a', 0);
    await soon({ clock });
    expect(batches).toEqual([[0]]);
    for (let number = 1; number < 5; number++) {
      await append('a', number);
      await clock.advance(10);
    }
    expect(batches).toEqual([[0]]);
    await clock.advance(10);
    expect(batches).toEqual([[0], [1, 2, 3, 4]]);
    await clock.advance(50);
    await append('a', 5);
    await soon({ clock });
    expect(batches).toEqual([[0], [1, 2, 3, 4], [5]]);
    await reader.stop();
  });

  test('wait for their own key alone', async () => {
    const { append, batches, clock, reader } = await openReader();
    await append('a', 0);
    await soon({ clock });
    await append('a', 1);
    await append('b', 2);
    await soon({ clock });
    expect(batches).toEqual([[0], [2]]);
    await reader.stop();
  });

  test('go at once with one that may not wait, in order', async () => {
    const { append, appendRaw, batches, clock, codec, reader } = await openReader();
    await append('a', 0);
    await soon({ clock });
    await append('a', 1, 2);
    await soon({ clock });
    expect(batches).toEqual([[0]]);
    await appendRaw({ key: 'a', value: codec.encode(HURRIED) });
    await soon({ clock });
    expect(batches).toEqual([[0], [1, 2, 'PlanDue']]);
    await reader.stop();
  });

  test('go at once when they fill a batch', async () => {
    const { append, batches, clock, reader } = await openReader({ maxBatch: 3 });
    await append('a', 0);
    await soon({ clock });
    await append('a', 1, 2, 3, 4);
    await soon({ clock });
    expect(batches).toEqual([[0], [1, 2, 3]]);
    await clock.advance(50);
    expect(batches).toEqual([[0], [1, 2, 3], [4]]);
    await reader.stop();
  });

  test('are left to the next owner while the reader drains, which does not wait for them', async () => {
    const { acknowledged, append, batches, clock, reader } = await openReader();
    await append('a', 0);
    await soon({ clock });
    await append('a', 1);
    await soon({ clock });
    await reader.drain();
    expect(acknowledged()).toBe(0);
    await clock.advance(50);
    expect(batches).toEqual([[0]]);
    expect(reader.trouble()).toBeNull();
    await reader.stop();
  });
});
