import type { Check } from '../aftermath.ts';

/** What a caller was answered can be read from that moment on. */
export const answeredIsVisible: Check = ({ history }) =>
  history.entries.flatMap((entry) => {
    if (!('hidden' in entry) || entry.hidden === null) return [];
    const id = 'postId' in entry ? entry.postId : entry.endpointId;
    const detail = `${entry.kind} of ${id} was answered, and a read right after it showed ${entry.hidden}`;
    return [{ check: 'answered is visible', detail, about: [id?.slice(0, -2) ?? entry.workspaceId] }];
  });
