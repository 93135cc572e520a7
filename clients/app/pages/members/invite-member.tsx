import { useState } from 'react';
import type { MemberRole } from '#domain/workspace/state.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { RadioGroup } from '../../parts/radio-group.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { ROLE_CHOICES } from './role-words.ts';
import { useInvitation } from './use-invitation.ts';

const ADDRESS = /^[^\s@]+@[^\s@]+$/;

export function InviteMember({ onClose }: { readonly onClose: () => void }) {
  const { id: workspaceId } = useWorkspace();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<MemberRole>('editor');
  const [isSent, setSent] = useState(false);
  const invite = useInvitation(onClose);
  const isAddress = ADDRESS.test(email.trim());
  const submit = (): void => {
    setSent(true);
    if (isAddress) invite.mutate({ workspaceId, email: email.trim(), name: name.trim() || null, role });
  };
  return (
    <FormDialog
      title="Invite somebody"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Send the invitation"
      isPending={invite.isPending}
      error={invite.error}
      failedTitle="Nobody was invited."
    >
      <TextField
        label="E-mail"
        type="email"
        note="They get a link that is good for a week."
        value={email}
        onChange={setEmail}
        maxLength={254}
        autoComplete="off"
        autoFocus
        error={isSent && !isAddress ? 'Write an e-mail address, such as ada@example.com.' : undefined}
      />
      <TextField
        label="Name (optional)"
        note="As it is shown here. Left out, their e-mail address is shown."
        value={name}
        onChange={setName}
        maxLength={200}
        autoComplete="off"
      />
      <RadioGroup label="Role" value={role} onChange={setRole} choices={ROLE_CHOICES} />
    </FormDialog>
  );
}
