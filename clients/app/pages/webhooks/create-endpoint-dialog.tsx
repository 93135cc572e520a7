import { useState } from 'react';
import { Checkbox } from '../../parts/checkbox.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
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
  const [isSent, setSent] = useState(false);
  const create = useServerMutation((to) => to.webhooks.create, { onSettled: onChange });
  if (create.data !== undefined)
    return <SecretOnce title="The endpoint’s secret" secret={create.data.secret} onClose={onClose} />;
  const isAddress = url.trim() !== '';
  const refusal = addressRefusal(create.error);
  const isAsSent = create.variables?.endpoint.url === url.trim();
  const send = (): void => {
    setSent(true);
    if (isAddress && events.length > 0)
      create.mutate({ workspaceId, endpoint: { url: url.trim(), events: [...events] } });
  };
  return (
    <FormDialog
      title="Add an endpoint"
      onClose={onClose}
      onSubmit={send}
      submitLabel="Add the endpoint"
      isPending={create.isPending}
      error={refusal === null ? create.error : null}
      failedTitle="The endpoint was not added."
    >
      <TextField
        label="Address"
        type="url"
        autoFocus
        value={url}
        onChange={setUrl}
        placeholder="https://example.com/webhooks"
        note="https on the standard port, reachable from the internet, without a redirect."
        error={
          isSent && !isAddress
            ? 'Write the address that events are to be sent to.'
            : refusal !== null && isAsSent
              ? refusal
              : undefined
        }
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
      {isSent && events.length === 0 ? (
        <p className="field-error" role="alert">
          Choose at least one event: without any, it would hear of nothing.
        </p>
      ) : null}
    </FormDialog>
  );
}

/** What is wrong with the address that was sent; null: nothing, or something else was refused. */
function addressRefusal(error: Error | null): string | null {
  if (error === null) return null;
  const { code, message } = problemOf(error);
  return code === 'unsafe_url' ? message : null;
}
