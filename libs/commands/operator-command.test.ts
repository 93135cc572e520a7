import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import type { RequestedCommand } from '#domain/workspace/commands.ts';
import { createOperatorCommands, type CommandSender } from './operator-command.ts';

test.each<[string, CommandSender | undefined, object]>([
  ['an operator', undefined, { credential: null, origin: { door: 'admin', address: null } }],
  [
    'a Member in the app',
    { credential: { kind: 'member', memberId: 'm' }, door: 'app', address: '192.0.2.7' },
    { credential: { kind: 'member', memberId: 'm' }, origin: { door: 'app', address: '192.0.2.7' } },
  ],
])('a command of %s says for whom it is, and where it came from', async (_who, sender, said) => {
  const sent: RequestedCommand[] = [];
  const send = createOperatorCommands({
    request: async (command) => (sent.push(command), { result: { ok: true, kind: 'done' } }) as never,
    ...{ clock: createMemoryClock(), ids: createSeededIds(1), replyTo: 'http://127.0.0.1:1', door: 'admin' },
  });
  await send('w', { type: 'RenameWorkspace', name: 'New' }, sender);
  expect(sent).toEqual([expect.objectContaining({ type: 'RenameWorkspace', workspaceId: 'w', ...said })]);
});
