import { useQueryClient } from '@tanstack/react-query';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { problemOf } from '../../server/problem.ts';
import { serverKey, useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import './post.css';
import { PostActions } from './post-actions.tsx';
import { PostHead } from './post-head.tsx';
import { useShownPost } from './shown-post.ts';
import { VariantSection } from './variant-section.tsx';

export interface PostViewProps {
  readonly postId: string;
  /** Called when the Post has been replaced by another one; absent: it stands on a page of its own. */
  readonly onClose?: () => void;
}

/** A Post with all that became of it. */
export function PostView({ postId, onClose }: PostViewProps) {
  const { id: workspaceId } = useWorkspace();
  const queryClient = useQueryClient();
  const { data: post, error, refetch, isPaused } = useShownPost(postId);
  const { data: draft } = useServerQuery((from) => from.posts.draft, { workspaceId, postId });
  const readAgain = (): void => {
    // Calendars and lists show the Post, too.
    void queryClient.invalidateQueries({ queryKey: serverKey((from) => from.posts) });
    void queryClient.invalidateQueries({ queryKey: serverKey((from) => from.variants) });
  };
  if (post === undefined && error !== null && problemOf(error).code === 'not_found')
    return (
      <EmptyState
        title="This Post is not in this Workspace"
        action={<LinkButton to="/calendar">Open the calendar</LinkButton>}
      >
        It may be of another Workspace, which you can choose at the top left, or its address is not whole.
      </EmptyState>
    );
  if (post === undefined && error !== null)
    return <ErrorPanel title="The Post could not be read." error={error} onRetry={() => void refetch()} />;
  if (post === undefined)
    return isPaused ? (
      <p role="status">You are offline. The Post is shown as soon as there is a connection.</p>
    ) : (
      <Skeleton label="Loading the Post" lines={8} />
    );
  return (
    <article className="post-view">
      {error === null ? null : (
        <ErrorPanel
          title="The Post could not be read again."
          error={error}
          kept="What is shown may be out of date."
          onRetry={() => void refetch()}
        />
      )}
      <PostHead post={post} />
      <PostActions post={post} onChange={readAgain} {...(onClose === undefined ? {} : { onClose })} />
      {post.variants.map((variant) => (
        <VariantSection
          key={variant.id}
          post={post}
          variant={variant}
          options={draft?.channelOptions[variant.channelId]}
          onChange={readAgain}
        />
      ))}
    </article>
  );
}
