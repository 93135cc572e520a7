import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { PageHeading } from '../../frame/page-heading.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import './compose.css';
import { ComposeSession } from './compose-session.ts';
import { Composer } from './composer.tsx';
import { DraftStore } from './draft/draft-store.ts';
import { KeptDrafts } from './kept-drafts.tsx';
import { useFirstDraft, type FirstDraft } from './use-first-draft.ts';
import { uploadsInto } from './upload-server.ts';
import { ViewerNotice } from './viewer-notice.tsx';

/** Writes a Post. */
export function ComposePage() {
  const { role } = useWorkspace();
  if (role === 'viewer') return <ViewerNotice />;
  return <OpenDraft />;
}

/** Every draft has an address of its own, so that loading the page anew leads back to it. */
function OpenDraft() {
  const { id: workspaceId, memberId } = useWorkspace();
  const { draft: draftId } = useSearch({ from: '/compose' });
  const navigate = useNavigate();
  const store = useMemo(() => new DraftStore(localStorage, { workspaceId, memberId }), [workspaceId, memberId]);
  useEffect(() => {
    if (draftId !== undefined) return;
    void navigate({ to: '/compose', search: (now) => ({ ...now, draft: crypto.randomUUID() }), replace: true });
  }, [draftId, navigate]);
  if (draftId === undefined) return null;
  return <DraftPage key={`${workspaceId} ${draftId}`} draftId={draftId} store={store} />;
}

function DraftPage({ draftId, store }: { readonly draftId: string; readonly store: DraftStore }) {
  const { id: workspaceId } = useWorkspace();
  const first = useFirstDraft(draftId, store);
  const listed = useServerQuery((from) => from.channels.list, { workspaceId });
  return (
    <>
      <PageHeading>{first.kind === 'ready' && first.draft.replaces !== null ? 'Change a Post' : 'Compose'}</PageHeading>
      <p>
        <LinkButton to="/compose/import" look="quiet" icon="upload">
          Import Posts from a CSV file
        </LinkButton>
      </p>
      <KeptDrafts store={store} openId={draftId} />
      {first.kind === 'failed' ? (
        <ErrorPanel title="The Post could not be read." error={first.error} onRetry={first.retry} />
      ) : null}
      {listed.isError ? (
        <ErrorPanel
          title="The Channels could not be read."
          error={listed.error}
          kept="Drafts are kept in this browser."
          onRetry={() => void listed.refetch()}
        />
      ) : null}
      {first.kind === 'loading' || listed.isPending ? <Skeleton label="Loading Channels" lines={8} /> : null}
      {first.kind === 'ready' && listed.data !== undefined ? (
        <Writing first={first} store={store} channels={listed.data.channels} />
      ) : null}
    </>
  );
}

interface WritingProps {
  readonly first: Extract<FirstDraft, { kind: 'ready' }>;
  readonly store: DraftStore;
  readonly channels: Parameters<typeof Composer>[0]['channels'];
}

function Writing({ first, store, channels }: WritingProps) {
  const { id: workspaceId } = useWorkspace();
  const navigate = useNavigate();
  const [session] = useState(
    () => new ComposeSession({ draft: first.draft, store, uploads: uploadsInto(workspaceId) }),
  );
  useEffect(() => {
    session.open();
    // A window gets the focus before anything is typed in it: what another tab wrote of the draft is taken over first.
    window.addEventListener('focus', session.catchUp);
    return () => {
      window.removeEventListener('focus', session.catchUp);
      session.close();
    };
  }, [session]);
  return (
    <>
      {first.note === null ? null : (
        <p className="compose-note" role="status">
          {first.note}
        </p>
      )}
      <Composer session={session} channels={channels} onDiscarded={() => void navigate({ to: '/calendar' })} />
    </>
  );
}
