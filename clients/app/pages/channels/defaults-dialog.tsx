import { useState } from 'react';
import type { ChannelDefaults } from '#domain/post/channel-options.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { showToast } from '../../parts/toast.tsx';
import { useServerMutation, useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import type { z } from 'zod';
import type { ChannelDefaults as SentShape } from '#schemas/http/post-requests.ts';
import { DefaultField } from './default-field.tsx';
import { defaultNames, type DefaultName } from './default-names.ts';
import type { ListedChannel } from './listed-channel.ts';
import { isolating } from '../../parts/isolating.ts';

export interface DefaultsDialogProps {
  readonly channel: ListedChannel;
  readonly onClose: () => void;
  readonly onChange: () => void;
}

/** The same as the procedure takes it: with lists that may be written to. */
type SentDefaults = z.input<typeof SentShape>;

/** The options that hold for every Post to the Channel that says nothing else. */
export function DefaultsDialog({ channel, onClose, onChange }: DefaultsDialogProps) {
  const { id: workspaceId } = useWorkspace();
  const { id: channelId, network, name } = channel;
  const [defaults, setDefaults] = useState<ChannelDefaults>(channel.defaults);
  const options = useServerQuery((from) => from.channels.options, { workspaceId, channelId });
  const save = useServerMutation((to) => to.channels.setDefaults, {
    onSuccess: () => {
      showToast({
        message: isolating`The defaults of ${name} are set. Posts that are scheduled already keep what they have.`,
      });
      onClose();
    },
    onSettled: onChange,
  });
  const set = (option: DefaultName, value: unknown): void => {
    const { [option]: _, ...others } = defaults as Record<string, unknown>;
    setDefaults((value === undefined ? others : { ...others, [option]: value }) as ChannelDefaults);
  };
  return (
    <Dialog
      title={isolating`Defaults of ${name}`}
      isOpen
      onClose={onClose}
      isKept
      width="wide"
      actions={
        <>
          <Button onPress={onClose}>Keep as it was</Button>
          <Button
            look="primary"
            isPending={save.isPending}
            onPress={() => save.mutate({ workspaceId, channelId, defaults: defaults as SentDefaults })}
          >
            Save defaults
          </Button>
        </>
      }
    >
      <p className="channel-soft">They hold for new Posts to this Channel that say nothing else themselves.</p>
      {options.isPending ? <Skeleton label="Asking the Network what can be chosen" /> : null}
      {options.error === null ? null : (
        <ErrorPanel
          title="What the Network lets you choose right now could not be read."
          error={options.error}
          kept="What does not depend on it can be set all the same."
          onRetry={() => void options.refetch()}
        />
      )}
      {options.isPending
        ? null
        : defaultNames(network).map((option) => (
            <DefaultField
              key={option}
              network={network}
              option={option}
              value={(defaults as Record<string, unknown>)[option]}
              choices={options.data?.choices ?? {}}
              onChange={(value) => set(option, value)}
            />
          ))}
      {save.error === null ? null : <ErrorPanel isOfChange title="The defaults were not set." error={save.error} />}
    </Dialog>
  );
}
