import type { FirstCommentBody } from '#domain/post/render.ts';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';

export interface FirstCommentProps {
  /** As it was written; undefined: not read yet. */
  readonly text: string | undefined;
  /** Null: there is none. */
  readonly state: FirstCommentBody | null;
  readonly network: string;
}

const STATUS = { waiting: 'scheduled', published: 'published', failed: 'failed' } as const;

/** The comment that follows the Variant, and what became of it. */
export function FirstComment({ text, state, network }: FirstCommentProps) {
  if (state === null) return null;
  return (
    <div className="first-comment">
      <h3>First comment</h3>
      {text === undefined ? null : (
        <p className="post-text" dir="auto">
          {text}
        </p>
      )}
      <p>
        <StatusMark status={STATUS[state.status]} />{' '}
        {state.status === 'waiting' ? <span className="post-soft">Sent when the Post is live</span> : null}
        {state.permalink === null ? null : <OutsideLink href={state.permalink}>Open it on {network}</OutsideLink>}
      </p>
      {state.status === 'failed' ? (
        <p>
          The Post itself is not touched by this. Write the comment by hand on {network}, if it matters.
          {state.detail === null ? null : <span className="post-soft"> {state.detail}</span>}
        </p>
      ) : null}
    </div>
  );
}
