import type { PublishAnswer } from '../contract/adapter.ts';
import type { PageWork } from './calls.ts';
import type { FacebookHandle } from './handle.ts';
import { stepsOf } from './kinds.ts';

export function publish(work: PageWork, handle: FacebookHandle): Promise<PublishAnswer> {
  return stepsOf(handle.kind).publish(work, handle);
}
