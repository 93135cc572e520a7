import { useState } from 'react';
import type { Permission } from '#domain/workspace/state.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/checkbox.tsx';
import { CopyableText } from '../../parts/copyable-text.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useServerQuery } from '../../server/queries.ts';
import { serverNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { PERMISSION_CHOICES } from '../access/permission-words.tsx';
import { useChange } from '../access/use-change.ts';
import { KeyLimitsFields, NO_LIMITS, sentLimits, type ChosenLimits } from './key-limits-fields.tsx';
import { isolating } from '../../parts/isolating.ts';

const ALWAYS: Permission = 'posts:schedule';

/** Asks what a new key is called and may do, then shows the key, once. */
export function CreateKey({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<{ readonly name: string; readonly apiKey: string } | null>(null);
  if (made !== null) return <MadeKey {...made} onClose={onClose} />;
  return <KeyForm onMade={setMade} onClose={onClose} />;
}

interface KeyFormProps {
  readonly onMade: (made: { readonly name: string; readonly apiKey: string }) => void;
  readonly onClose: () => void;
}

function KeyForm({ onMade, onClose }: KeyFormProps) {
  const { id: workspaceId } = useWorkspace();
  const [name, setName] = useState('');
  const [isNameMissing, setNameMissing] = useState(false);
  const [permissions, setPermissions] = useState<readonly Permission[]>([ALWAYS]);
  const create = useChange((to) => to.keys.create, {
    refresh: [(from) => from.keys.list],
    onDone: ({ apiKey }) => onMade({ name: name.trim(), apiKey }),
    onFailed: () => {},
  });
  const [limits, setLimits] = useState<ChosenLimits>(NO_LIMITS);
  const submit = (): void => {
    if (name.trim() === '') return setNameMissing(true);
    create.mutate({
      workspaceId,
      name: name.trim(),
      permissions: limits.readOnly ? [ALWAYS] : [...permissions],
      ...sentLimits(limits, serverNow()),
    });
  };
  const choose = (permission: Permission, isChosen: boolean): void =>
    setPermissions((before) => (isChosen ? [...before, permission] : before.filter((other) => other !== permission)));
  return (
    <FormDialog
      title="Create a key"
      onClose={onClose}
      onSubmit={submit}
      submitLabel="Create the key"
      isPending={create.isPending}
      error={create.error}
      failedTitle="The key was not created."
    >
      <TextField
        label="Name"
        note="What uses it, such as nightly import. Posts that it makes show this name."
        value={name}
        onChange={setName}
        maxLength={200}
        autoFocus
        error={isNameMissing && name.trim() === '' ? 'Write a name, so that you know the key again.' : undefined}
      />
      <fieldset className="choices">
        <legend className="field-label">What it may do</legend>
        {PERMISSION_CHOICES.map(({ permission, short, long }) => (
          <Checkbox
            key={permission}
            isSelected={permission === ALWAYS || (permissions.includes(permission) && !limits.readOnly)}
            isDisabled={permission === ALWAYS || limits.readOnly}
            onChange={(isChosen) => choose(permission, isChosen)}
            note={permission === ALWAYS ? `${long} Every key may do this.` : long}
          >
            {short}
          </Checkbox>
        ))}
      </fieldset>
      <KeyLimitsFields limits={limits} onChange={setLimits} />
    </FormDialog>
  );
}

interface MadeKeyProps {
  readonly name: string;
  readonly apiKey: string;
  readonly onClose: () => void;
}

function MadeKey({ name, apiKey, onClose }: MadeKeyProps) {
  const { data } = useServerQuery((from) => from.session.get, undefined);
  const publicUrl = data?.installation.publicUrl ?? window.location.origin;
  const line = `curl -H 'Authorization: Bearer ${apiKey}' ${publicUrl}/api/channels`;
  return (
    <Dialog
      title={isolating`The key ${name}`}
      isOpen
      isKept
      onClose={onClose}
      width="wide"
      actions={
        <Button look="primary" onPress={onClose}>
          I have kept it
        </Button>
      }
    >
      <p>
        <strong>This is the only time that the key is shown.</strong> Keep it where your program finds it, and nowhere
        that others read. Whoever has it can do what it may do.
      </p>
      <CopyableText text={apiKey} label="Copy the key" />
      <p>To try it, list the Channels:</p>
      <CopyableText text={line} label="Copy the command" />
    </Dialog>
  );
}
