import type { Check } from '../aftermath.ts';

/** As much as a Workspace takes. */
const MOST_BYTES = 366 * 1024;
/** Reports on its Posts, which are always taken. */
const REPORTS_BYTES = 16 * 1024;
/** Below this nothing is left out. */
const ROOMY_BYTES = 128 * 1024;

/**
 * A Workspace refuses what would make it larger than its head may be, so that reports on its Posts always find room.
 * Keys that were revoked do not fill it, or a Workspace that makes keys and revokes them would be full one day, with
 * nothing left to remove.
 */
export const workspacesHaveRoom: Check = ({ history }) =>
  history.of('size').flatMap(({ workspaceId, stateBytes, endedBytes }) => {
    const complain = (detail: string) => [
      { check: 'Workspaces have room', detail: `workspace ${workspaceId} ${detail}`, about: [workspaceId] },
    ];
    if (stateBytes > MOST_BYTES + REPORTS_BYTES) return complain(`has grown to ${stateBytes} bytes`);
    return (endedBytes ?? 0) > ROOMY_BYTES ? complain(`is filled by ${endedBytes} bytes of revoked keys`) : [];
  });
