import { expect, test } from 'vitest';
import type { AppendFault } from '#adapters/memory/append-fault.ts';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryLog } from '#adapters/memory/log.ts';
import { createCodec } from '#codec/avro-codec.ts';
import { createBuiltInRegistry } from '#codec/registry/built-in.ts';
import { shardOf, TOPICS, WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import { sendCommand } from './send-command.ts';

const COMMAND = {
  type: 'PublishHeld',
  workspaceId: '01a20000-0000-7000-8000-000000000001',
  variantId: '01a20000-0000-7000-8000-000000000201',
  attempt: 1,
} as const;

test('a report whose append fails counts as not sent, so that its sender tries again', async () => {
  const log = createMemoryLog({ topics: TOPICS, clock: createMemoryClock() });
  const options = { log: log.client('publisher'), codec: createCodec({ registry: createBuiltInRegistry() }) };
  const stored = () =>
    log.control.records({ topic: WORKSPACE_COMMANDS.name, partition: shardOf(COMMAND.workspaceId) }).length;
  for (const fault of ['full', 'lost'] as const satisfies readonly AppendFault[]) {
    log.control.failNextAppend(fault, WORKSPACE_COMMANDS.name);
    await expect(sendCommand(options, COMMAND), fault).rejects.toThrow();
    expect(stored(), fault).toBe(0);
  }
  await sendCommand(options, COMMAND);
  expect(stored()).toBe(1);
});
