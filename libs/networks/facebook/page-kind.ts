import type { ArmedCall, PrepareAnswer, PublishAnswer, ReconcileAnswer } from '../contract/adapter.ts';
import type { PageWork } from './calls.ts';
import type { FacebookHandle } from './handle.ts';

/** How one kind of post is published. */
export interface PageKind<H extends FacebookHandle> {
  readonly prepare: (work: PageWork, handle: H | null) => Promise<PrepareAnswer>;
  readonly publish: (work: PageWork, handle: H) => Promise<PublishAnswer>;
  readonly reconcile: (work: PageWork, handle: H, armed: ArmedCall) => Promise<ReconcileAnswer>;
}
