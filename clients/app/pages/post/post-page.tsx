import { useParams } from '@tanstack/react-router';
import { PageHeading } from '../../frame/page-heading.tsx';
import { PostView } from './post-view.tsx';

export function PostPage() {
  const { postId } = useParams({ from: '/posts/$postId' });
  return (
    <>
      <PageHeading>Post</PageHeading>
      <PostView key={postId} postId={postId} />
    </>
  );
}
