import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { PostBody } from '#domain/post/render.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import { showToast } from '../../parts/toast.tsx';
import { isOpenChange } from '../../server/problem.ts';
import { useServerMutation } from '../../server/queries.ts';
import { serverNow, useNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { movedTime, writtenTime } from './moved-time.ts';
import { keepPost } from './shown-post.ts';

export interface MovePostProps {
  readonly post: PostBody;
  readonly onClose: () => void;
  readonly onMoved: () => void;
}

/** Asks for another time, in the Workspace's zone. The Post that comes of it has another id: the page goes there. */
export function MovePost({ post, onClose, onMoved }: MovePostProps) {
  const { id: workspaceId, timeZone } = useWorkspace();
  const navigate = useNavigate();
  const before = Date.parse(post.at);
  const [written, setWritten] = useState(writtenTime(before, timeZone));
  const [nonce] = useState(() => `move-${crypto.randomUUID()}`);
  // Drawn again as time passes: a time that was ahead when the dialog opened may be over before anybody presses.
  useNow();
  const { at, problem } = movedTime(written, { before, now: serverNow(), timeZone });
  const move = useServerMutation((to) => to.posts.move, {
    onSuccess: ({ post: successor }) => {
      keepPost(workspaceId, successor);
      showToast({ message: `The Post was moved to ${absoluteWords(Date.parse(successor.at), timeZone)}.` });
    },
  });
  /** Called only while the dialog is open: who left it meanwhile stays where they are. */
  const showMoved = ({ post: successor }: { readonly post: PostBody }) => {
    onMoved();
    void navigate({ to: '/posts/$postId', params: { postId: successor.id } });
  };
  return (
    <Dialog
      title="Move the Post"
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Keep its time</Button>
          <Button
            look="primary"
            isDisabled={at === null}
            isPending={move.isPending}
            onPress={() => {
              // The server reads instants as they are sent.
              if (at === null) return;
              const scheduledAt = new Date(at).toISOString();
              // Pressed again after an answer was lost, it is the same move.
              const idempotencyKey = `${nonce} ${scheduledAt}`;
              move.mutate({ workspaceId, postId: post.id, scheduledAt, idempotencyKey }, { onSuccess: showMoved });
            }}
          >
            Move
          </Button>
        </>
      }
    >
      <TextField
        label={`New time (${timeZone})`}
        type="datetime-local"
        value={written}
        onChange={setWritten}
        autoFocus
        error={problem ?? undefined}
        note={at === null ? undefined : absoluteWords(at, timeZone)}
      />
      <p className="post-soft">
        The Post is cancelled and made again at the new time, in one step: it is never there twice.
      </p>
      {move.error === null ? null : isOpenChange(move.error) ? (
        <ErrorPanel
          title="Nobody answered whether the Post was moved."
          error={move.error}
          kept="Press Move again: it is moved once, however often you do."
        />
      ) : (
        <ErrorPanel title="The Post was not moved." error={move.error} kept="It stands at its time as before." />
      )}
    </Dialog>
  );
}
