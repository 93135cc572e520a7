import type { TurnStep } from '#domain/workspace/turn-step.ts';
import type { Tracer } from '#ports/tracer.ts';
import { WORKSPACE_COMMANDS } from '#tables/declarations/topics.ts';
import type { DecidedTurn } from './decided-turn.ts';
import { tracesOf } from './turn-report.ts';

export interface TracedTurn {
  readonly workspaceId: string;
  readonly steps: readonly TurnStep[];
  readonly turn: DecidedTurn;
  /** By the tracer's clock. */
  readonly startedAt: number;
}

/**
 * A turn that was committed, once it is relayed. Of one trace it is a part; several, that met in one turn, it is linked
 * to. What the turn causes goes on in the traces of its commands, whatever they met with.
 */
export function traceTurn(tracer: Tracer, { workspaceId, steps, turn, startedAt }: TracedTurn): void {
  const traces = tracesOf({ steps, turn });
  if (traces.length === 0) return;
  const [only] = traces;
  const attributes = {
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': WORKSPACE_COMMANDS.name,
    'messaging.batch.message_count': turn.handled,
    'crier.workspace.id': workspaceId,
    'crier.post.ids': [...turn.changedPostIds].join(','),
  };
  const cause = traces.length === 1 ? { parent: only } : { links: traces };
  tracer.start(`process ${WORKSPACE_COMMANDS.name}`, { kind: 'consumer', ...cause, attributes, startedAt }).end();
}
