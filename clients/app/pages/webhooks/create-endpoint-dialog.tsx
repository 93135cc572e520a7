import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/checkbox.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { problemOf } from '../../server/problem.ts';
import { useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { EVENT_WORDS, EVENTS, type EventType } from './event-words.ts';
import { SecretOnce } from './secret-once.tsx';

export interface CreateEndpointDialogProps {
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** Asks for an address and what it is to be told, and shows the secret that comes of it. */
export function CreateEndpointDialog({ onClose, onChange }: CreateEndpointDialogProps) {
  const { id: workspaceId } = useWorkspace();
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly EventType[]>(EVENTS);
  const create = useServerMutation((to) => to.webhooks.create, { onSettled: onChange });
  if (create.data !== undefined)
    return <SecretOnce title="The endpoint’s secret" secret={create.data.secret} onClose={onClose} />;
  const send = (): void => create.mutate({ workspaceId, endpoint: { url: url.trim(), events: [...events] } });
  return (
    <Dialog
      title="Add an endpoint"
      isOpen
      isKept
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Add none</Button>
          <Button
            look="primary"
            isPending={create.isPending}
            isDisabled={url.trim() === '' || events.length === 0}
            onPress={send}
          >
            Add the endpoint
          </Button>
        </>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (url.trim() !== '' && events.length > 0) send();
        }}
      >
        <TextField
          label="Address"
          type="url"
          autoFocus
          value={url}
          onChange={setUrl}
          placeholder="https://example.com/webhooks"
          note="https on the standard port, reachable from the internet, without a redirect."
          error={create.error === null ? undefined : problemOf(create.error).message}
        />
        <fieldset className="webhook-events">
          <legend className="field-label">Tell it</legend>
          {EVENTS.map((event) => (
            <Checkbox
              key={event}
              isSelected={events.includes(event)}
              onChange={(isChosen) =>
                setEvents(EVENTS.filter((each) => (each === event ? isChosen : events.includes(each))))
              }
              note={<code>{event}</code>}
            >
              {EVENT_WORDS[event]}
            </Checkbox>
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
}
