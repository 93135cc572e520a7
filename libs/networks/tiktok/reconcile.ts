import type { ArmedCall, ReconcileAnswer } from '../contract/adapter.ts';
import type { TikTokWork } from './calls.ts';
import type { TikTokHandle } from './handle.ts';
import { reconcilePhotos } from './photos.ts';
import { reconcileVideo } from './video.ts';

export function reconcile(work: TikTokWork, handle: TikTokHandle, armed: ArmedCall): Promise<ReconcileAnswer> {
  return handle.kind === 'video' ? reconcileVideo(work, handle, armed) : reconcilePhotos(work, handle, armed);
}
