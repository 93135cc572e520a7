import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import type { PageWork } from './calls.ts';
import type { FacebookHandle } from './handle.ts';
import { stepsOf } from './kinds.ts';

export function reconcile(work: PageWork, handle: FacebookHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  return stepsOf(handle.kind).reconcile(work, handle, armed);
}
