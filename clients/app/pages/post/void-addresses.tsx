import type { PostBody } from '#domain/post/render.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { keepPost } from './shown-post.ts';

interface VoidAddressesProps {
  readonly post: PostBody;
  readonly onChange: () => void;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks before the addresses of the Post's files are made void: whoever was sent one can not open it any more. */
export function VoidAddresses({ post, isOpen, onClose, onChange }: VoidAddressesProps) {
  const { id: workspaceId } = useWorkspace();
  const isWaiting = post.variants.some(({ status }) => status === 'scheduled' || status === 'publishing');
  const change = useServerMutation((to) => to.posts.voidFileAddresses, {
    onSuccess: (changed) => {
      keepPost(workspaceId, changed);
      showToast({ message: 'The addresses of its files are void.' });
      onClose();
    },
    onError: onChange,
  });
  return (
    <ConfirmDialog
      title="Make the addresses of its files void?"
      isOpen={isOpen}
      onClose={onClose}
      confirmLabel="Make them void"
      isPending={change.isPending}
      onConfirm={() => change.mutate({ workspaceId, postId: post.id })}
    >
      <p>
        Whoever has an address of a file of this Post can not open it any more, within seconds. Copies in caches last
        for a day at most.
      </p>
      {isWaiting ? (
        <p>What is still to be published goes on: the files get new addresses until then, and none after that.</p>
      ) : (
        <p>What is published stays published. The files are not shown here any more.</p>
      )}
      {change.error === null ? null : <ErrorPanel isOfChange title="Nothing was changed." error={change.error} />}
    </ConfirmDialog>
  );
}
