import { useEffect, useRef } from 'react';
import type { ChannelOptions } from '#domain/post/channel-options.ts';
import type { PostBody, VariantBody } from '#domain/post/render.ts';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { NetworkMark, networkName } from '../../parts/network-mark.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { shownStatusOf, StatusMark } from '../../parts/status-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { clockWords, latenessWords, liveAtOf } from './attempt-words.ts';
import { cancelWords } from './failure-words.ts';
import { FirstComment } from './first-comment.tsx';
import { Figures } from './figures.tsx';
import { isMoving, variantName } from './shown-post.ts';
import { VariantFailure } from './variant-failure.tsx';
import { VariantOptions } from './variant-options.tsx';

export interface VariantSectionProps {
  readonly post: PostBody;
  readonly variant: VariantBody;
  /** What the Post says for this Channel alone; undefined: nothing, or not read yet. */
  readonly options: ChannelOptions | undefined;
  readonly onChange: () => void;
}

/** One Channel's version of the Post, and what became of it. */
export function VariantSection({ post, variant, options, onChange }: VariantSectionProps) {
  const { id: workspaceId } = useWorkspace();
  const network = networkName(variant.network);
  const attempts = useServerQuery(
    (from) => from.variants.attempts,
    { workspaceId, variantId: variant.id },
    { refetchInterval: isMoving(variant) ? 2_000 : false },
  );
  const { refetch } = attempts;
  const statusRead = useRef(variant.status);
  useEffect(() => {
    if (statusRead.current === variant.status) return;
    statusRead.current = variant.status;
    // The last steps are written a moment before the status.
    void refetch();
  }, [variant.status, refetch]);
  const cancelled = cancelWords(variant);
  return (
    <section className="variant" aria-label={variantName(variant, network)}>
      <header className="variant-head">
        <h2>
          <NetworkMark network={variant.network} /> <bdi>{variant.channelName}</bdi>
          {variant.placement === 'story' ? ' · story' : ''}
        </h2>
        <StatusMark status={shownStatusOf(variant)} />
      </header>
      <VariantTimes variant={variant} liveAt={attempts.data === undefined ? null : liveAtOf(attempts.data)} />
      {cancelled === null ? null : <p>{cancelled}</p>}
      {variant.mediaReady || variant.status !== 'scheduled' ? null : <p>Its files are still being prepared.</p>}
      {variant.channelDisconnected ? <p className="post-soft">The Channel is disconnected now.</p> : null}
      <VariantFailure postId={post.id} variant={variant} onChange={onChange} />
      {variant.text === null || variant.text === post.text ? null : (
        <div>
          <h3>Text of its own</h3>
          <p className="post-text" dir="auto">
            {variant.text === '' ? <span className="post-soft">No text</span> : variant.text}
          </p>
        </div>
      )}
      <VariantOptions network={variant.network} options={options} />
      <FirstComment text={options?.firstComment} state={variant.firstComment} network={network} />
      {attempts.error === null ? null : (
        <ErrorPanel
          title="The attempts could not be read."
          error={attempts.error}
          onRetry={() => void attempts.refetch()}
        />
      )}
      <AttemptTimeline variant={variant} network={network} facts={attempts.data ?? []} />
      {variant.metrics === null ? null : <Figures metrics={variant.metrics} network={network} />}
      <p className="post-soft">
        Variant <CopyableId id={variant.id} label={`Copy the id of the Variant at ${network}`} />
      </p>
    </section>
  );
}

interface VariantTimesProps {
  readonly variant: VariantBody;
  readonly liveAt: string | null;
}

/** When it was to be live, when it was, and where. */
function VariantTimes({ variant: { status, scheduledAt, permalink, network }, liveAt }: VariantTimesProps) {
  const { timeZone } = useWorkspace();
  if (status === 'published')
    return (
      <p className="variant-times">
        {liveAt === null ? null : (
          <>
            {scheduledAt === null ? 'Live ' : <>Scheduled {clockWords(scheduledAt, timeZone)}, live </>}
            {clockWords(liveAt, timeZone)}
            {scheduledAt === null ? null : <span className="post-soft"> · {latenessWords(scheduledAt, liveAt)}</span>}
          </>
        )}{' '}
        {permalink === null ? null : <OutsideLink href={permalink}>Open it on {networkName(network)}</OutsideLink>}
      </p>
    );
  if (status !== 'scheduled' || scheduledAt === null) return null;
  return (
    <p className="variant-times">
      Publishes <Time at={scheduledAt} />
    </p>
  );
}
