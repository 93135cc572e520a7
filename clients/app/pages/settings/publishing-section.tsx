import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Form } from '../../parts/form.tsx';
import { Row, Section } from '../../parts/section.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useHolds, type ShownHold } from '../../workspace/holds.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';

/** Where owners hold and release what the Workspace publishes. */
export function PublishingSection() {
  const { role } = useWorkspace();
  const ours = useHolds().find(({ isOurs }) => isOurs);
  if (role !== 'owner') return null;
  return (
    <Section title="Publishing">
      <p className="soft">
        While publishing is held, nothing new goes to any Network. What comes due waits, can be cancelled, and is not
        missed; once you release it, it is published in order.
      </p>
      {ours === undefined ? <HoldForm /> : <Release hold={ours} />}
    </Section>
  );
}

function HoldForm() {
  const { id: workspaceId } = useWorkspace();
  const [reason, setReason] = useState('');
  const hold = useChange((to) => to.publishing.hold, {
    refresh: [(from) => from.publishing.status],
    said: () => 'Publishing is held.',
    onFailed: () => {},
  });
  const submit = (): void => {
    if (reason.trim() !== '') hold.mutate({ workspaceId, reason: reason.trim() });
  };
  return (
    <Form onSubmit={submit} isPending={hold.isPending}>
      <TextField
        label="Why publishing is to be held"
        note="Every Member reads it."
        value={reason}
        onChange={setReason}
        maxLength={500}
      />
      {hold.error === null ? null : <ErrorPanel title="It may not be held." error={hold.error} />}
      <Row>
        <Button type="submit" look="danger" isDisabled={reason.trim() === ''} isPending={hold.isPending}>
          Hold publishing
        </Button>
      </Row>
    </Form>
  );
}

function Release({ hold: { waiting } }: { readonly hold: ShownHold }) {
  const { id: workspaceId } = useWorkspace();
  const release = useChange((to) => to.publishing.release, {
    refresh: [(from) => from.publishing.status],
    said: () => 'Publishing goes on.',
    onFailed: () => {},
  });
  return (
    <>
      <p>{waiting === 1 ? 'One publication waits.' : `${waiting} publications wait.`}</p>
      {release.error === null ? null : <ErrorPanel title="It may still be held." error={release.error} />}
      <Row>
        <Button look="primary" isPending={release.isPending} onPress={() => release.mutate({ workspaceId })}>
          Release publishing
        </Button>
      </Row>
    </>
  );
}
