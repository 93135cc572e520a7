import { Button } from '../../parts/button.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { problemOf } from '../../server/problem.ts';
import { serverNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import type { ShownBlocker } from './checks/blockers.ts';
import type { ComposerProps } from './composer-props.ts';
import type { ComposeDraft } from './draft/compose-draft.ts';
import { disclosureOf } from './draft/disclosure.ts';
import { adviceInDoubt } from './draft/doubt.ts';
import { TiktokConsent } from './options/tiktok-options.tsx';
import { refusalWords, submitWords } from './submit-words.ts';
import type { Submission } from './use-submit.ts';
import type { AskedVerdict } from './use-verdict.ts';

export interface SubmitBarProps extends ComposerProps {
  readonly verdict: AskedVerdict;
  readonly submission: Submission;
  readonly blockers: readonly ShownBlocker[];
  readonly onSubmit: () => void;
}

/** What will happen, the button that does it, and what came of it. */
export function SubmitBar({ session, state, chosen, verdict, submission, blockers, onSubmit }: SubmitBarProps) {
  const { timeZone } = useWorkspace();
  const { draft } = state;
  const toTiktok = chosen.filter(({ network }) => network === 'tiktok');
  const isInDoubt = draft.isInDoubt && submission.kind !== 'sending';
  const press = () => {
    if (blockers.length === 0 && draft.channelIds.length > 0) return onSubmit();
    if (draft.channelIds.length === 0) session.change((now) => ({ ...now }));
    document.getElementById('blocker-list')?.focus();
  };
  return (
    <div className="submit-bar">
      <CheckWords verdict={verdict} isAsked={draft.channelIds.length > 0} count={blockers.length} />
      {toTiktok.length > 0 ? (
        <TiktokConsent isBranded={toTiktok.some((channel) => disclosureOf(draft, channel).brandedContent)} />
      ) : null}
      {draft.replaces === null ? null : (
        <p className="field-note">The old Post is cancelled and this one takes its place: never two, never none.</p>
      )}
      {isInDoubt ? <Doubt {...{ submission, draft }} /> : null}
      {submission.kind === 'refused' && submission.blockers.length === 0 ? (
        <Refusal error={submission.error} isInDoubt={isInDoubt} />
      ) : null}
      <Button
        look="primary"
        icon={draft.when.kind === 'now' ? 'send' : 'clock'}
        isPending={submission.kind === 'sending'}
        isDisabled={draft.channelIds.length === 0}
        onPress={press}
      >
        {isInDoubt ? `Send again: ${submitWords(draft, timeZone)}` : submitWords(draft, timeZone)}
      </Button>
      <p className="field-note" role="status">
        {state.isKept
          ? 'Kept in this browser as you write.'
          : 'This browser has no room to keep the draft: send it before you leave.'}
      </p>
    </div>
  );
}

function Refusal({ error, isInDoubt }: { readonly error: unknown; readonly isInDoubt: boolean }) {
  const { title, words } = refusalWords(problemOf(error).code, isInDoubt);
  if (words === null) return <ErrorPanel isOfChange title={title} error={error} kept="What you wrote is kept." />;
  return (
    <div className="submit-doubt" role="alert">
      <strong>{title}</strong>
      <p>{words} What you wrote is kept.</p>
    </div>
  );
}

const BEFORE: Partial<Record<Submission['kind'], string>> = {
  none: 'The page was left before an answer came, or the draft was sent or thrown away in another tab.',
  refused: 'It was refused this time; the answer to an earlier try was lost.',
};

function Doubt({ submission, draft }: { readonly submission: Submission; readonly draft: ComposeDraft }) {
  const words = submission.kind === 'in doubt' ? problemOf(submission.error).message : BEFORE[submission.kind];
  return (
    <div className="submit-doubt" role="alert">
      <strong>Nobody knows yet whether the Post was made.</strong>
      <p>{`${words} ${adviceInDoubt(draft, serverNow())} What you wrote is kept.`}</p>
    </div>
  );
}

function CheckWords({
  verdict,
  isAsked,
  count,
}: {
  readonly verdict: AskedVerdict;
  readonly isAsked: boolean;
  readonly count: number;
}) {
  if (!isAsked) return null;
  const words =
    verdict.kind === 'failed'
      ? `It could not be checked: ${verdict.message}`
      : verdict.kind === 'unknown'
        ? 'Being checked'
        : count === 0
          ? 'Nothing stands against it.'
          : null;
  if (words === null) return null;
  return (
    <p className="field-note" role="status">
      {words}
      {verdict.kind === 'known' && verdict.upgrade !== null ? ` ${verdict.upgrade}` : ''}
    </p>
  );
}
