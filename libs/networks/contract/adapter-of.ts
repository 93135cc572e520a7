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
import type { SearchAnswer, Sought } from './adapter.ts';
import { conclusive } from './search.ts';
import { askingOf, READ_TIMEOUT_MS, timeoutOf, type AdapterOptions } from './waits.ts';

/** One Variant on its way to one account. */
export interface PublishWork<Place> {
  /** Where the Network is, and how long to wait for it. */
  readonly at: Place;
  readonly publication: Publication;
}

/** The steps of a Network that names what it will publish: prepare.ts, publish.ts and reconcile.ts of its folder. */
export interface PublishSteps<Place, Handle> {
  readonly placeOf: (endpoints: NetworkEndpoints, options: AdapterOptions) => Place;
  /** Whether publishing reads the last part of a video before it sends it. */
  readonly readsFile?: boolean;
  /** null: no handle, or none that this release can read. */
  readonly parseHandle: (text: string | null) => Handle | null;
  readonly prepare: (work: PublishWork<Place>, handle: Handle | null) => Promise<PrepareAnswer>;
  readonly publish: (work: PublishWork<Place>, handle: Handle) => Promise<PublishAnswer>;
  readonly reconcile: (work: PublishWork<Place>, handle: Handle, armed: ArmedCall) => Promise<ReconcileAnswer>;
  /** By the account's list, whatever the handle. */
  readonly search: (work: PublishWork<Place>, sought: Sought) => Promise<SearchAnswer>;
}

export function adapterOf<Place extends Required<AdapterOptions>, Handle>(
  network: Network,
  { placeOf, readsFile = false, parseHandle, ...steps }: PublishSteps<Place, Handle>,
): (endpoints: NetworkEndpoints, options?: AdapterOptions) => NetworkAdapter {
  return (endpoints, options = {}) => {
    const place = placeOf(endpoints, options);
    const workOf = (publication: Publication): PublishWork<Place> => {
      return { at: { ...place, publishTimeoutMs: timeoutOf(publication, place) }, publication };
    };
    const reading = ({ media }: Publication): number =>
      readsFile && media.some(({ kind }) => kind === 'video') ? READ_TIMEOUT_MS : 0;
    return {
      network,
      publishTimeoutMs: place.publishTimeoutMs + (readsFile ? READ_TIMEOUT_MS : 0),
      timeoutFor: (publication) => timeoutOf(publication, place) + reading(publication),
      prepare: (publication, text) => steps.prepare(workOf(publication), parseHandle(text)),
      publish: async (publication, text) => {
        const handle = parseHandle(text);
        if (handle === null) throw new Error(`${network} publishes what it prepared, and there is no handle of it`);
        return steps.publish(workOf(publication), handle);
      },
      reconcile: async (publication, armed) => {
        const handle = parseHandle(armed.handle);
        return handle === null ? UNREADABLE_HANDLE : steps.reconcile(workOf(publication), handle, armed);
      },
      search: async (publication, sought) => {
        const work = workOf(publication);
        const handle = parseHandle(sought.handle);
        const armed = { handle: sought.handle, ...askingOf(sought), isSenderDead: true };
        const told = handle === null ? null : await steps.reconcile(work, handle, armed);
        return conclusive(told) ?? steps.search(work, sought);
      },
    };
  };
}
