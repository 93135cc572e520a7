import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Row } from '../../parts/section.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';
import { ChangeRole } from './change-role.tsx';
import type { ListedMember } from './listed-member.ts';
import { RemoveMember } from './remove-member.tsx';
import { ROLE_WORDS } from './role-words.ts';
import { isolating } from '../../parts/isolating.ts';

interface Asked {
  readonly what: 'role' | 'remove';
  readonly member: ListedMember;
}

export function MemberTable({ members }: { readonly members: readonly ListedMember[] }) {
  const { memberId, role } = useWorkspace();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const isLastOwner = ({ id, role: itsRole }: ListedMember): boolean =>
    itsRole === 'owner' && !members.some((other) => other.id !== id && other.role === 'owner');
  const columns: readonly TableColumn<ListedMember>[] = [
    { name: 'Name', isHeader: true, render: (member) => <MemberName member={member} isYou={member.id === memberId} /> },
    { name: 'E-mail', render: (member) => <MemberEmail {...member} /> },
    { name: 'Role', render: (member) => <MemberRoleWords {...member} /> },
    {
      name: 'Actions',
      isNameHidden: true,
      render: (member) => (
        <MemberActions member={member} isOwner={role === 'owner'} isYou={member.id === memberId} onAsk={setAsked} />
      ),
    },
  ];
  return (
    <>
      <Table caption="Members" columns={columns} rows={members} keyOf={({ id }) => id} />
      {asked?.what === 'role' ? (
        <ChangeRole member={asked.member} isLastOwner={isLastOwner(asked.member)} onClose={close} />
      ) : null}
      {asked?.what === 'remove' ? (
        <RemoveMember member={asked.member} isLastOwner={isLastOwner(asked.member)} onClose={close} />
      ) : null}
    </>
  );
}

function MemberName({ member, isYou }: { readonly member: ListedMember; readonly isYou: boolean }) {
  return (
    <>
      <bdi>{member.name}</bdi>
      {isYou ? <span className="soft"> (you)</span> : null}
    </>
  );
}

function MemberEmail({ email, emailVerified }: ListedMember) {
  return (
    <>
      <bdi>{email}</bdi>
      {emailVerified ? null : <div className="field-note">Has not signed in yet</div>}
    </>
  );
}

function MemberRoleWords({ role }: ListedMember) {
  const { name, may } = ROLE_WORDS[role];
  return (
    <>
      {name}
      <div className="field-note">{may}</div>
    </>
  );
}

interface MemberActionsProps {
  readonly member: ListedMember;
  readonly isOwner: boolean;
  readonly isYou: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function MemberActions({ member, isOwner, isYou, onAsk }: MemberActionsProps) {
  return (
    <Row>
      {isOwner ? (
        <Button
          look="quiet"
          aria-label={isolating`Change the role of ${member.name}`}
          onPress={() => onAsk({ what: 'role', member })}
        >
          Change the role
        </Button>
      ) : null}
      {isYou ? (
        <Button look="quiet" onPress={() => onAsk({ what: 'remove', member })}>
          Leave
        </Button>
      ) : null}
      {isOwner && !isYou ? (
        <Button
          look="quiet"
          aria-label={isolating`Remove ${member.name}`}
          onPress={() => onAsk({ what: 'remove', member })}
        >
          Remove
        </Button>
      ) : null}
    </Row>
  );
}
