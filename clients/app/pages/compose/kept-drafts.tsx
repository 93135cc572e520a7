import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Time } from '../../parts/time.tsx';
import { nameOfDraft, type ComposeDraft } from './draft/compose-draft.ts';
import type { DraftStore } from './draft/draft-store.ts';
import { forgetFilesOf } from './draft/kept-files.ts';
import { isolating } from '../../parts/isolating.ts';

export interface KeptDraftsProps {
  readonly store: DraftStore;
  /** The one that is being written. */
  readonly openId: string;
}

/** The other drafts of this person in this browser. */
export function KeptDrafts({ store, openId }: KeptDraftsProps) {
  const [drafts, setDrafts] = useState<readonly ComposeDraft[]>(() => store.list());
  const others = drafts.filter(({ id }) => id !== openId);
  if (others.length === 0) return null;
  const drop = (draft: ComposeDraft) => {
    store.remove(draft.id);
    void forgetFilesOf(draft.id);
    setDrafts(store.list());
  };
  return (
    <details className="kept-drafts">
      <summary>
        {others.length === 1 ? 'A draft is kept in this browser' : `${others.length} drafts are kept in this browser`}
      </summary>
      <ul>
        {others.map((draft) => (
          <li key={draft.id}>
            <span className="kept-draft-name">{nameOfDraft(draft)}</span>{' '}
            <span className="field-note">
              <Time at={new Date(draft.savedAt).toISOString()} />
            </span>{' '}
            <LinkButton
              to="/compose"
              search={{ draft: draft.id }}
              look="quiet"
              aria-label={isolating`Open the draft ${nameOfDraft(draft)}`}
            >
              Open
            </LinkButton>
            <Button
              look="quiet"
              aria-label={isolating`Throw away the draft ${nameOfDraft(draft)}`}
              onPress={() => drop(draft)}
            >
              Throw away
            </Button>
          </li>
        ))}
      </ul>
    </details>
  );
}
