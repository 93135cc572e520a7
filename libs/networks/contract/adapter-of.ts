import type { Network } from '#domain/network.ts';
import type {
  ArmedCall,
  NetworkAdapter,
  NetworkEndpoints,
  PrepareAnswer,
  Publication,
  PublishAnswer,
  ReconcileAnswer,
} from './adapter.ts';
import { UNREADABLE_HANDLE } from './answers.ts';
import type { AdapterOptions } from './waits.ts';

/** Of reading the last part of a file. */
const READ_MS = 30_000;

/** One Variant on its way to one account. */
export interface PublishWork<Place> {
  /** Where the Network is, and how long to wait for it. */
  readonly at: Place;
  readonly publication: Publication;
}

/** The steps of a Network that names what it will publish: prepare.ts, publish.ts and reconcile.ts of its folder. */
export interface PublishSteps<Place, Handle> {
  readonly placeOf: (endpoints: NetworkEndpoints, options: AdapterOptions) => Place;
  /** Whether publishing reads the last part of a file before it sends it. */
  readonly readsFile?: boolean;
  /** null: no handle, or none that this release can read. */
  readonly parseHandle: (text: string | null) => Handle | null;
  readonly prepare: (work: PublishWork<Place>, handle: Handle | null) => Promise<PrepareAnswer>;
  readonly publish: (work: PublishWork<Place>, handle: Handle) => Promise<PublishAnswer>;
  readonly reconcile: (work: PublishWork<Place>, handle: Handle, armed: ArmedCall) => Promise<ReconcileAnswer>;
}

export function adapterOf<Place extends Required<AdapterOptions>, Handle>(
  network: Network,
  { placeOf, readsFile = false, parseHandle, ...steps }: PublishSteps<Place, Handle>,
): (endpoints: NetworkEndpoints, options?: AdapterOptions) => NetworkAdapter {
  return (endpoints, options = {}) => {
    const at = placeOf(endpoints, options);
    return {
      network,
      publishTimeoutMs: at.publishTimeoutMs + (readsFile ? READ_MS : 0),
      prepare: (publication, text) => steps.prepare({ at, publication }, parseHandle(text)),
      publish: async (publication, text) => {
        const handle = parseHandle(text);
        if (handle === null) throw new Error(`${network} publishes what it prepared, and there is no handle of it`);
        return steps.publish({ at, publication }, handle);
      },
      reconcile: async (publication, armed) => {
        const handle = parseHandle(armed.handle);
        return handle === null ? UNREADABLE_HANDLE : steps.reconcile({ at, publication }, handle, armed);
      },
    };
  };
}
