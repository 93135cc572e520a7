import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Button } from '../parts/button.tsx';
import { ErrorPanel } from '../parts/error-panel.tsx';
import { TextField } from '../parts/text-field.tsx';
import { ownTimeZone } from '../preferences/time-zone.ts';
import { queryClient, serverKey, useServerMutation } from '../server/queries.ts';

const MAX_NAME_CHARACTERS = 200;

/** Makes a Workspace of which the person is the owner, and opens it. */
export function MakeWorkspaceForm() {
  const [name, setName] = useState('');
  const [ownName, setOwnName] = useState('');
  // Sent twice by an impatient hand or a broken connection, it makes one Workspace.
  const [nonce] = useState(() => crypto.randomUUID());
  const navigate = useNavigate();
  const make = useServerMutation((to) => to.workspaces.create, {
    onSuccess: async ({ workspaceId }) => {
      await queryClient.invalidateQueries({ queryKey: serverKey((from) => from.session.get) });
      await navigate({ to: '/channels', search: { workspace: workspaceId } });
    },
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const timeZone = ownTimeZone();
    make.mutate({ name: name.trim(), nonce, timeZone, ...(ownName.trim() !== '' && { ownName: ownName.trim() }) });
  };
  return (
    <form onSubmit={send}>
      <TextField
        label="Name of the Workspace"
        note="The name of your company or client, for example."
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_CHARACTERS}
        isRequired
      />
      <TextField
        label="Your name"
        note="Other Members see it beside what you do. Your mail address stands there until you write one."
        value={ownName}
        onChange={setOwnName}
        maxLength={MAX_NAME_CHARACTERS}
        autoComplete="name"
      />
      {make.error === null ? null : <ErrorPanel isOfChange title="The Workspace was not made." error={make.error} />}
      <Button type="submit" look="primary" isPending={make.isPending} isDisabled={name.trim() === ''}>
        Make the Workspace
      </Button>
    </form>
  );
}
