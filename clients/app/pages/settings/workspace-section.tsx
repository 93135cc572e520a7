import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Form } from '../../parts/form.tsx';
import { Row, Section } from '../../parts/section.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import { RemoveMember } from '../members/remove-member.tsx';
import { ROLE_WORDS } from '../members/role-words.ts';

export function WorkspaceSection() {
  const { id, name, role } = useWorkspace();
  const { name: roleName, may } = ROLE_WORDS[role];
  return (
    <Section title="This Workspace">
      {role === 'owner' ? <RenameForm key={name} /> : <p>{name}</p>}
      <p>
        Your role is {roleName.toLowerCase()}. <span className="soft">{may}</span>
      </p>
      <p>
        Its id is <CopyableId id={id} label="Copy the Workspace’s id" />
      </p>
      <LeaveWorkspace />
    </Section>
  );
}

function RenameForm() {
  const { id: workspaceId, name } = useWorkspace();
  const [draft, setDraft] = useState(name);
  const wanted = draft.trim();
  const rename = useChange((to) => to.workspaces.rename, {
    refresh: [(from) => from.session.get, (from) => from.workspaces.list],
    said: ({ name: now }) => `The Workspace is called ${now} now.`,
    onFailed: () => {},
  });
  const submit = (): void => {
    if (wanted !== '' && wanted !== name) rename.mutate({ workspaceId, name: wanted });
  };
  return (
    <Form onSubmit={submit} isPending={rename.isPending}>
      <TextField
        label="Name of the Workspace"
        value={draft}
        onChange={setDraft}
        maxLength={200}
        error={wanted === '' ? 'Write a name: every Member knows the Workspace by it.' : undefined}
      />
      {rename.error === null ? null : <ErrorPanel isOfChange title="It was not renamed." error={rename.error} />}
      <Row>
        <Button type="submit" isDisabled={wanted === '' || wanted === name} isPending={rename.isPending}>
          Rename
        </Button>
      </Row>
    </Form>
  );
}

function LeaveWorkspace() {
  const { id: workspaceId, memberId } = useWorkspace();
  const [isAsked, setAsked] = useState(false);
  const { data } = useServerQuery((from) => from.members.list, { workspaceId });
  const you = data?.members.find(({ id }) => id === memberId);
  const isLastOwner = data?.members.filter(({ role }) => role === 'owner').length === 1 && you?.role === 'owner';
  return (
    <>
      <Button isDisabled={you === undefined} onPress={() => setAsked(true)}>
        Leave the Workspace
      </Button>
      {isAsked && you !== undefined ? (
        <RemoveMember member={you} isLastOwner={isLastOwner} onClose={() => setAsked(false)} />
      ) : null}
    </>
  );
}
