import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import { leaveForAnotherWorkspace } from './leave-for-another.ts';
import type { MemberDialogProps } from './listed-member.ts';

/** Asks before a Member is removed, or leaves. The last owner is told why not. */
export function RemoveMember({ member, isLastOwner, onClose }: MemberDialogProps) {
  const { id: workspaceId, memberId, name: workspaceName } = useWorkspace();
  const isYou = member.id === memberId;
  const remove = useChange((to) => to.members.remove, {
    refresh: isYou ? [] : [(from) => from.members.list, (from) => from.keys.list, (from) => from.apps.list],
    said: () => (isYou ? null : `${member.name} was removed.`),
    onDone: isYou ? leaveForAnotherWorkspace : onClose,
  });
  if (isLastOwner)
    return (
      <Dialog
        title={isYou ? 'You can not leave yet' : `${member.name} can not be removed yet`}
        isOpen
        onClose={onClose}
        actions={<Button onPress={onClose}>Close</Button>}
      >
        <p>
          {isYou ? 'You are' : `${member.name} is`} the last owner of this Workspace: without one nobody could manage
          it. Make another Member an owner first.
        </p>
      </Dialog>
    );
  return (
    <ConfirmDialog
      title={isYou ? `Leave ${workspaceName}?` : `Remove ${member.name}?`}
      isOpen
      onClose={onClose}
      confirmLabel={isYou ? 'Leave' : 'Remove'}
      isPending={remove.isPending}
      onConfirm={() => remove.mutate({ workspaceId, memberId: member.id })}
    >
      <p>
        {isYou ? 'Your API keys and apps' : `API keys and apps of ${member.name}`} end at once, and webhook endpoints
        that were registered with them stop. Posts stay, and scheduled ones are published.
      </p>
      <p>{isYou ? 'To come back, you have to be invited again.' : 'They can be invited again.'}</p>
    </ConfirmDialog>
  );
}
