import { isRequested } from '#domain/workspace/commands.ts';
import type { Message } from '#messages/messages.ts';
import type { Check } from '../aftermath.ts';

/** Every command that is in the log came to a result: it was carried out or refused, and who asks again is told. */
export const commandsAreDecided: Check = ({ world, commands, heads }) => {
  const { decided, counts } = world.witness;
  // What a parked key has waits for an operator.
  if (counts.has('key-parked')) return [];
  return commands.flatMap(({ message }) => {
    if (!isRequested(message) || isDry(message) || decided.has(message.requestId)) return [];
    // Of a Workspace that does not exist yet, nothing is written.
    if (!heads.has(message.workspaceId)) return [];
    return [
      {
        check: 'commands are decided',
        detail: `${message.type} ${message.requestId} is in the log, and no result of it was ever written`,
        about: [message.requestId],
      },
    ];
  });
};

function isDry(message: Message): boolean {
  return message.type === 'CreatePost' && message.dryRun;
}
