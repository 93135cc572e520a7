import { lazy, Suspense } from 'react';
import { SidePanel } from '../../parts/side-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';

const PostView = lazy(async () => ({ default: (await import('../post/post-view.tsx')).PostView }));

export interface PostPanelProps {
  readonly postId: string;
  readonly onClose: () => void;
}

/** A Post beside the calendar: all that its page has. */
export function PostPanel({ postId, onClose }: PostPanelProps) {
  return (
    <SidePanel title="Post" onClose={onClose}>
      <Suspense fallback={<Skeleton label="Loading the Post" lines={5} />}>
        <PostView postId={postId} onClose={onClose} />
      </Suspense>
    </SidePanel>
  );
}
