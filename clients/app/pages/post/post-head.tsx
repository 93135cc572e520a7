import type { PostBody } from '#domain/post/render.ts';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { Time } from '../../parts/time.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import { ViaMark } from '../../parts/via-mark.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { PostFiles } from './post-files.tsx';
import { ownTimeZone } from '../../preferences/time-zone.ts';

/** What was written, when it is for, and who or what made it. */
export function PostHead({ post }: { readonly post: PostBody }) {
  const { timeZone } = useWorkspace();
  const ownZone = ownTimeZone();
  const isOver = post.variants.every(({ status }) => ['published', 'failed', 'cancelled'].includes(status));
  const isScheduled = post.variants.some(({ scheduledAt }) => scheduledAt !== null);
  return (
    <section className="post-head" aria-label="What was written">
      {post.text === '' ? (
        <p className="post-soft">This Post has no text.</p>
      ) : (
        <p className="post-text" dir="auto">
          {post.text}
        </p>
      )}
      <PostFiles files={post.media} isOver={isOver} />
      <dl className="post-facts">
        <dt>{isScheduled ? 'For' : 'Sent'}</dt>
        <dd>
          <Time at={post.at} form="absolute" /> ({timeZone})
          {absoluteWords(Date.parse(post.at), ownZone) === absoluteWords(Date.parse(post.at), timeZone) ? null : (
            <span className="post-soft">
              {' '}
              · where you are: {absoluteWords(Date.parse(post.at), ownZone)} ({ownZone})
            </span>
          )}
        </dd>
        <dt>Written</dt>
        <dd>
          <Time at={post.createdAt} /> {post.via === null ? 'by hand' : <ViaMark via={post.via} />}
        </dd>
        <dt>Id</dt>
        <dd>
          <CopyableId id={post.id} label="Copy the id of the Post" />
        </dd>
      </dl>
    </section>
  );
}
