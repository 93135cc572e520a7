import { useLayoutEffect } from 'react';
import { useWorkspace } from '../../workspace/workspace.ts';
import type { ComposeSession } from './compose-session.ts';
import { inZone } from './draft/chosen-time.ts';
import type { ComposeTime } from './draft/compose-draft.ts';

/**
 * Keeps the time of a draft in the zone that times are in now. Where that zone changes while the draft is open, or
 * another tab wrote the time in another one, the instant stays, and its date and time are rewritten before they are
 * drawn.
 */
export function usePresentZone(session: ComposeSession, when: ComposeTime): void {
  const { timeZone } = useWorkspace();
  useLayoutEffect(() => {
    if (inZone(when, timeZone) === when) return;
    session.change((draft) => ({ ...draft, when: inZone(draft.when, timeZone) }));
  }, [session, when, timeZone]);
}
