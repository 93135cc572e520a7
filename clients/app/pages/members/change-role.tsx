import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { RadioGroup } from '../../parts/radio-group.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import type { MemberDialogProps } from './listed-member.ts';
import { ROLE_CHOICES, ROLE_WORDS } from './role-words.ts';
import { isolating } from '../../parts/isolating.ts';

export function ChangeRole({ member, isLastOwner, onClose }: MemberDialogProps) {
  const { id: workspaceId } = useWorkspace();
  const [role, setRole] = useState(member.role);
  const change = useChange((to) => to.members.changeRole, {
    // The Member may be the one who looks: then the pages show less.
    refresh: [
      (from) => from.members.list,
      (from) => from.session.get,
      (from) => from.workspaces.list,
      (from) => from.apps.list,
    ],
    said: ({ role: now }) => `${member.name} is ${now === 'viewer' ? 'a' : 'an'} ${now} now.`,
    onDone: onClose,
    onFailed: () => {},
  });
  const isLess = member.role !== 'viewer' && role === 'viewer';
  return (
    <Dialog
      title={isolating`Change the role of ${member.name}`}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button
            look="primary"
            isDisabled={role === member.role}
            isPending={change.isPending}
            onPress={() => change.mutate({ workspaceId, memberId: member.id, role })}
          >
            {role === member.role ? 'Change role' : `Make ${ROLE_WORDS[role].name.toLowerCase()}`}
          </Button>
        </>
      }
    >
      {isLastOwner ? (
        <p>
          <bdi>{member.name}</bdi> is the last owner of this Workspace. Make another Member an owner first.
        </p>
      ) : null}
      <RadioGroup
        label="Role"
        value={role}
        onChange={setRole}
        choices={ROLE_CHOICES.map((choice) => ({ ...choice, isDisabled: isLastOwner && choice.value !== 'owner' }))}
      />
      {isLess ? (
        <p>
          Apps that <bdi>{member.name}</bdi> approved end at once: viewers let no app act for them.
        </p>
      ) : null}
      {change.error === null ? null : <ErrorPanel isOfChange title="The role was not changed." error={change.error} />}
    </Dialog>
  );
}
