import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { useNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { BlockerList } from './blocker-list.tsx';
import { ChannelPicker } from './channel-picker.tsx';
import { isSame, networkBlockers, ownBlockers, type ComposeChannel, type ShownBlocker } from './checks/blockers.ts';
import { filesOnTheirWay, type ComposeSession, type ComposeState } from './compose-session.ts';
import type { ComposerProps } from './composer-props.ts';
import { chooseChannels } from './draft/draft-changes.ts';
import { postOf } from './draft/post-of-draft.ts';
import { BlockersContext, focusField } from './fields.tsx';
import { MediaField } from './media-field.tsx';
import { Preview } from './previews/preview.tsx';
import { ScheduleField } from './schedule-field.tsx';
import { SubmitBar } from './submit-bar.tsx';
import { ALL_CHANNELS, TextTabs } from './text-tabs.tsx';
import { usePresentZone } from './use-present-zone.ts';
import { useSubmit, type Submission } from './use-submit.ts';
import { useVerdict, type AskedVerdict } from './use-verdict.ts';
import { useIsNarrow } from './use-is-narrow.ts';

export interface ComposerViewProps {
  readonly session: ComposeSession;
  readonly channels: readonly ComposeChannel[];
  readonly onDiscarded: () => void;
}

/** A Post as it is written: words, files, Channels and time at one side, what it looks like at the other. */
export function Composer({ session, channels, onDiscarded }: ComposerViewProps) {
  const state = useSyncExternalStore(session.subscribe, session.state);
  const { draft } = state;
  const chosen = useMemo(
    () => channels.filter(({ id }) => draft.channelIds.includes(id)),
    [channels, draft.channelIds],
  );
  const [selected, setSelected] = useState<string>(ALL_CHANNELS);
  const now = useNow();
  usePresentZone(session, draft.when);
  const { submission, submit } = useSubmit(session);
  const { blockers, verdict } = useBlockers(state, channels, submission, now);
  const jumpTo = useRef<ShownBlocker | null>(null);
  const isNarrow = useIsNarrow();
  const composer: ComposerProps = { session, state, chosen };
  const jump = (blocker: ShownBlocker) => {
    const { channelId, field } = blocker;
    const isShared =
      field === 'channels' ||
      field === 'media' ||
      field === 'altText' ||
      (field === 'text' && draft.options[channelId ?? '']?.text === undefined);
    setSelected(channelId === null || isShared ? ALL_CHANNELS : channelId);
    jumpTo.current = isShared ? { ...blocker, channelId: null } : blocker;
  };
  // The tab that holds the field is there only after it was drawn.
  useEffect(() => {
    const target = jumpTo.current;
    jumpTo.current = null;
    if (target !== null) focusField(target);
  });
  // What is written while the Post is being sent would go with its draft when the answer comes.
  const isSending = submission.kind === 'sending';
  const writing = (
    <div className="composer-writing">
      <div className="composer-fields" inert={isSending}>
        <ChannelPicker
          channels={channels}
          chosen={draft.channelIds}
          onChange={(ids) => session.change(chooseChannels(ids))}
        />
        <TextTabs {...composer} selected={selected} onSelect={setSelected} />
        <MediaField {...composer} isInert={isSending} />
        <ScheduleField {...composer} now={now} />
      </div>
      <BlockerList chosen={chosen} onJump={jump} />
      <SubmitBar {...composer} {...{ verdict, submission, blockers }} onSubmit={() => void submit()} />
      <DiscardButton session={session} onDiscarded={onDiscarded} />
    </div>
  );
  const previews = <Previews chosen={chosen} state={state} />;
  return (
    <BlockersContext value={blockers}>
      {isNarrow ? (
        <Tabs
          label="The Post"
          tabs={[
            { id: 'write', name: 'Write', content: writing },
            { id: 'preview', name: 'Preview', content: previews },
          ]}
        />
      ) : (
        <div className="composer-sides">
          {writing}
          {previews}
        </div>
      )}
    </BlockersContext>
  );
}

/** The server's word where it has come, else what the page knows by itself. */
function useBlockers(
  state: ComposeState,
  channels: readonly ComposeChannel[],
  submission: Submission,
  now: number,
): { readonly blockers: readonly ShownBlocker[]; readonly verdict: AskedVerdict } {
  const { id: workspaceId, timeZone } = useWorkspace();
  const { draft, uploads } = state;
  const failedFiles = [...uploads].flatMap(([key, { kind }]) => (kind === 'failed' ? [key] : []));
  const waiting = filesOnTheirWay(state);
  const isEmpty = draft.channelIds.length === 0;
  const post = useMemo(
    () => (isEmpty || waiting > 0 || failedFiles.length > 0 ? null : postOf(draft, timeZone)),
    [draft, timeZone, isEmpty, waiting, failedFiles.length],
  );
  const verdict = useVerdict(workspaceId, post, draft.replaces);
  const own = ownBlockers(draft, { channels, timeZone, now, filesOnTheirWay: waiting, failedFiles });
  const ofNetworks = verdict.kind === 'known' ? verdict.blockers : networkBlockers(draft, channels);
  const refused = submission.kind === 'refused' && submission.about === draft ? submission.blockers : [];
  const all = [...own, ...ofNetworks, ...refused];
  const isFirst = (one: ShownBlocker, index: number) => all.findIndex((other) => isSame(one, other)) === index;
  // An empty page is no mistake yet.
  const isUntouched = isEmpty && draft.text === '' && draft.files.length === 0;
  return { blockers: isUntouched ? [] : all.filter(isFirst), verdict };
}

function Previews({ chosen, state }: Pick<ComposerProps, 'chosen' | 'state'>) {
  return (
    <section className="composer-previews" aria-label="Previews">
      <h2>How it looks</h2>
      {chosen.length === 0 ? <p className="field-note">Choose Channels to see the Post as they show it.</p> : null}
      {chosen.map((channel) => (
        <Preview key={channel.id} channel={channel} state={state} />
      ))}
    </section>
  );
}

function DiscardButton({ session, onDiscarded }: Pick<ComposerViewProps, 'session' | 'onDiscarded'>) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button look="quiet" onPress={() => setIsAsking(true)}>
        Throw this draft away
      </Button>
      <ConfirmDialog
        title="Throw this draft away?"
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        confirmLabel="Throw away"
        onConfirm={() => {
          session.discard({ removesUploads: true });
          setIsAsking(false);
          onDiscarded();
        }}
      >
        Its words and its files are removed from this browser, and the files from the server. Posts that were made stay.
      </ConfirmDialog>
    </>
  );
}
