import type { Network } from '#domain/network.ts';
import type {
  ArmedCall,
  NetworkAdapter,
  PrepareAnswer,
  Publication,
  PublishAnswer,
  ReconcileAnswer,
} from './adapter.ts';
import { UNREADABLE_HANDLE } from './answers.ts';

/** The steps of a Network that names what it will publish: prepare.ts, publish.ts and reconcile.ts of its folder. */
export interface PublishSteps<Work, Handle> {
  readonly network: Network;
  readonly publishTimeoutMs: number;
  readonly workOn: (publication: Publication) => Work;
  /** null: no handle, or none that this release can read. */
  readonly parseHandle: (text: string | null) => Handle | null;
  readonly prepare: (work: Work, handle: Handle | null) => Promise<PrepareAnswer>;
  readonly publish: (work: Work, handle: Handle) => Promise<PublishAnswer>;
  readonly reconcile: (work: Work, handle: Handle, armed: ArmedCall) => Promise<ReconcileAnswer>;
}

export function adapterOf<Work, Handle>(steps: PublishSteps<Work, Handle>): NetworkAdapter {
  const { network, publishTimeoutMs, workOn, parseHandle } = steps;
  return {
    network,
    publishTimeoutMs,
    prepare: (publication, text) => steps.prepare(workOn(publication), parseHandle(text)),
    publish: async (publication, text) => {
      const handle = parseHandle(text);
      if (handle === null) throw new Error(`${network} publishes what it prepared, and there is no handle of it`);
      return steps.publish(workOn(publication), handle);
    },
    reconcile: async (publication, armed) => {
      const handle = parseHandle(armed.handle);
      return handle === null ? UNREADABLE_HANDLE : steps.reconcile(workOn(publication), handle, armed);
    },
  };
}
