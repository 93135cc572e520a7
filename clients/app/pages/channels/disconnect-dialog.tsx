import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerMutation, useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import type { ListedChannel } from './listed-channel.ts';
import { isolating } from '../../parts/isolating.ts';

export interface DisconnectDialogProps {
  readonly channel: ListedChannel;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** Asks before a Channel is disconnected, with how many Variants that cancels. */
export function DisconnectDialog({ channel: { id: channelId, name }, onClose, onChange }: DisconnectDialogProps) {
  const { id: workspaceId } = useWorkspace();
  const preview = useServerQuery(
    (from) => from.channels.disconnectPreview,
    { workspaceId, channelId },
    // A number that was right a minute ago is wrong here.
    { staleTime: 0, gcTime: 0 },
  );
  const disconnect = useServerMutation((to) => to.channels.disconnect, {
    onSuccess: () => {
      showToast({ message: isolating`${name} is disconnected.` });
      onClose();
    },
    onSettled: onChange,
  });
  return (
    <ConfirmDialog
      title={isolating`Disconnect ${name}?`}
      isOpen
      onClose={onClose}
      confirmLabel={confirmLabel(preview.data)}
      isPending={disconnect.isPending}
      onConfirm={() => disconnect.mutate({ workspaceId, channelId })}
    >
      {preview.data === undefined ? (
        <p role="status">
          {preview.error === null
            ? 'Counting what it would cancel …'
            : 'How many scheduled Variants it would cancel could not be counted.'}
        </p>
      ) : (
        <p>
          <strong>{cancelsWords(preview.data)}</strong>
        </p>
      )}
      <p>
        Other Channels of the same Posts are not touched, and what is published stays published. Connecting the account
        again makes a new Channel, and brings nothing back that was cancelled.
      </p>
      {disconnect.error === null ? null : (
        <ErrorPanel isOfChange title="It was not disconnected." error={disconnect.error} />
      )}
    </ConfirmDialog>
  );
}

interface Preview {
  readonly cancels: number;
  readonly isCut: boolean;
}

function cancelsWords({ cancels, isCut }: Preview): string {
  if (cancels === 0)
    return isCut ? 'It may cancel scheduled Variants.' : 'It cancels nothing: no Variant waits for it.';
  const count = isCut ? `more than ${cancels}` : cancels;
  return `It cancels ${count} scheduled ${cancels === 1 ? 'Variant' : 'Variants'}, at once and for good.`;
}

function confirmLabel(preview: Preview | undefined): string {
  if (preview === undefined || preview.cancels === 0) return 'Disconnect';
  return `Disconnect and cancel ${preview.isCut ? 'them' : preview.cancels}`;
}
