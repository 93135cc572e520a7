import { useState } from 'react';
import { PageHeading } from '../../frame/page-heading.tsx';
import { Answer } from '../../parts/answer.tsx';
import { Button } from '../../parts/button.tsx';
import { Section } from '../../parts/section.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { InvitationTable } from './invitation-table.tsx';
import { InviteMember } from './invite-member.tsx';
import { MemberTable } from './member-table.tsx';

/** Who is in the Workspace, who is invited, and what each may do. */
export function MembersPage() {
  const { id: workspaceId, role } = useWorkspace();
  const [isInviting, setInviting] = useState(false);
  const people = useServerQuery((from) => from.members.list, { workspaceId });
  const invite =
    role === 'owner' ? (
      <Button look="primary" icon="plus" onPress={() => setInviting(true)}>
        Invite somebody
      </Button>
    ) : null;
  return (
    <>
      <PageHeading>Members</PageHeading>
      <Answer query={people} what="Members">
        {({ members, invitations }) => (
          <>
            <Section title="In this Workspace" actions={invite}>
              {role === 'owner' ? null : (
                <p className="soft">Owners invite and remove Members and change their roles.</p>
              )}
              <MemberTable members={members} />
            </Section>
            {invitations.length === 0 ? null : (
              <Section title="Open invitations">
                <InvitationTable invitations={invitations} />
              </Section>
            )}
          </>
        )}
      </Answer>
      {isInviting ? <InviteMember onClose={() => setInviting(false)} /> : null}
    </>
  );
}
