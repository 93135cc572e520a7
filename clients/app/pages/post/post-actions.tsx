import { useState } from 'react';
import type { PostBody } from '#domain/post/render.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { networkName } from '../../parts/network-mark.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { MovePost } from './move-post.tsx';
import { keepPost, variantName } from './shown-post.ts';
import { VoidAddresses } from './void-addresses.tsx';

export interface PostActionsProps {
  readonly post: PostBody;
  readonly onChange: () => void;
  readonly onClose?: () => void;
}

/** What can be done with the Post as a whole. A viewer sees none of it. */
export function PostActions({ post, onChange, onClose }: PostActionsProps) {
  const { role } = useWorkspace();
  const [open, setOpen] = useState<'cancel' | 'move' | 'void' | null>(null);
  if (role === 'viewer') return null;
  const waiting = post.variants.filter(({ status }) => status === 'scheduled');
  const isUntouched = waiting.length === post.variants.length;
  return (
    <div className="post-buttons">
      {isUntouched ? (
        <>
          <LinkButton to="/compose" search={{ replace: post.id }} icon="draft">
            Edit
          </LinkButton>
          <Button icon="clock" onPress={() => setOpen('move')}>
            Move
          </Button>
        </>
      ) : null}
      <LinkButton to="/compose" search={{ copy: post.id }} icon="copy">
        Copy to a new Post
      </LinkButton>
      {post.media.every(({ url }) => url === null) ? null : (
        <Button onPress={() => setOpen('void')}>Make file addresses void</Button>
      )}
      {waiting.length === 0 ? null : (
        <Button look="danger" onPress={() => setOpen('cancel')}>
          Cancel {waiting.length === post.variants.length ? 'the Post' : `what still waits (${waiting.length})`}
        </Button>
      )}
      <CancelPost post={post} isOpen={open === 'cancel'} onClose={() => setOpen(null)} onChange={onChange} />
      <VoidAddresses post={post} isOpen={open === 'void'} onClose={() => setOpen(null)} onChange={onChange} />
      {open === 'move' ? (
        <MovePost
          post={post}
          onClose={() => setOpen(null)}
          onMoved={() => {
            setOpen(null);
            onChange();
            onClose?.();
          }}
        />
      ) : null}
    </div>
  );
}

interface CancelPostProps extends Pick<PostActionsProps, 'post' | 'onChange'> {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function CancelPost({ post, isOpen, onClose, onChange }: CancelPostProps) {
  const { id: workspaceId } = useWorkspace();
  const waiting = post.variants.filter(({ status }) => status === 'scheduled');
  const others = post.variants.length - waiting.length;
  const cancel = useServerMutation((to) => to.posts.cancel, {
    onSuccess: (cancelled) => {
      keepPost(workspaceId, cancelled);
      showToast({ message: 'What waited of the Post is cancelled.' });
      onClose();
    },
    onError: onChange,
  });
  return (
    <ConfirmDialog
      title={waiting.length === 1 ? 'Cancel this Variant?' : `Cancel these ${waiting.length} Variants?`}
      isOpen={isOpen}
      onClose={onClose}
      confirmLabel={waiting.length === 1 ? 'Cancel it' : `Cancel ${waiting.length} Variants`}
      isPending={cancel.isPending}
      onConfirm={() => cancel.mutate({ workspaceId, postId: post.id })}
    >
      <p>These will not be published:</p>
      <ul>
        {waiting.map((variant) => (
          <li key={variant.id}>
            <bdi>{variantName(variant, networkName(variant.network))}</bdi>
          </li>
        ))}
      </ul>
      {others === 0 ? null : <p>What is published, publishing or ended already stays as it is.</p>}
      {cancel.error === null ? null : <ErrorPanel isOfChange title="Nothing was cancelled." error={cancel.error} />}
    </ConfirmDialog>
  );
}
