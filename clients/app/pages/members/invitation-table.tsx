import type { MemberRole } from '#domain/workspace/state.ts';
import { Button } from '../../parts/button.tsx';
import { Row } from '../../parts/section.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { showToast } from '../../parts/toast.tsx';
import { problemOf } from '../../server/problem.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import { ROLE_WORDS } from './role-words.ts';
import { useInvitation } from './use-invitation.ts';
import { isolating } from '../../parts/isolating.ts';

export interface ListedInvitation {
  readonly id: string;
  readonly email: string;
  readonly role: MemberRole;
  readonly invitedBy: string | null;
  readonly createdAt: string;
  readonly expiresAt: string;
}

const COLUMNS: readonly TableColumn<ListedInvitation>[] = [
  { name: 'E-mail', isHeader: true, render: ({ email }) => <bdi>{email}</bdi> },
  { name: 'As', render: ({ role }) => ROLE_WORDS[role].name },
  { name: 'Invited by', render: ({ invitedBy }) => <bdi>{invitedBy ?? 'The operator'}</bdi> },
  { name: 'Good until', render: ({ expiresAt }) => <Time at={expiresAt} /> },
];

export function InvitationTable({ invitations }: { readonly invitations: readonly ListedInvitation[] }) {
  const { role } = useWorkspace();
  const actions: TableColumn<ListedInvitation> = {
    name: 'Actions',
    isNameHidden: true,
    render: (invitation) => <InvitationActions {...invitation} />,
  };
  return (
    <Table
      caption="Open invitations"
      columns={role === 'owner' ? [...COLUMNS, actions] : COLUMNS}
      rows={invitations}
      keyOf={({ id }) => id}
    />
  );
}

function InvitationActions({ id: invitationId, email, role }: ListedInvitation) {
  const { id: workspaceId } = useWorkspace();
  const again = useInvitation(() => {});
  const revoke = useChange((to) => to.members.revokeInvitation, {
    refresh: [(from) => from.members.list],
    said: () => `The invitation of ${email} was revoked: its link does not work any more.`,
  });
  const inviteAgain = (): void =>
    again.mutate(
      { workspaceId, email, role },
      { onError: (error) => void showToast({ message: problemOf(error).message, tone: 'failed' }) },
    );
  return (
    <Row>
      <Button
        look="quiet"
        aria-label={isolating`Invite again: ${email}`}
        isPending={again.isPending}
        onPress={inviteAgain}
      >
        Invite again
      </Button>
      <Button
        look="quiet"
        aria-label={isolating`Revoke the invitation of ${email}`}
        isPending={revoke.isPending}
        onPress={() => revoke.mutate({ workspaceId, invitationId })}
      >
        Revoke
      </Button>
    </Row>
  );
}
