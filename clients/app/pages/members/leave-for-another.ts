import { APP_PATH } from '../../address/app-path.ts';

/** After leaving a Workspace nothing that was read of it may stay in sight: the app begins anew. */
export function leaveForAnotherWorkspace(): void {
  window.location.assign(APP_PATH);
}
