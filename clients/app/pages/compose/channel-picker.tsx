import { useId, useState } from 'react';
import { NETWORKS } from '#domain/network.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/checkbox.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { LinkButton } from '../../parts/link-button.tsx';
import { NetworkMark, networkName } from '../../parts/network-mark.tsx';
import { TextField } from '../../parts/text-field.tsx';
import type { ComposeChannel } from './checks/blockers.ts';
import { FieldPlace, FieldTrouble, useFieldError } from './fields.tsx';

export interface ChannelPickerProps {
  readonly channels: readonly ComposeChannel[];
  readonly chosen: readonly string[];
  readonly onChange: (channelIds: readonly string[]) => void;
}

/** Fewer are seen at a glance. */
const MANY = 8;

/** The Channels that a Post goes to: by name, by Network, all of a Network at once. */
export function ChannelPicker({ channels, chosen, onChange }: ChannelPickerProps) {
  const [sought, setSought] = useState('');
  const troubleId = useId();
  const trouble = useFieldError('channels', [null, ...chosen]);
  const words = sought.trim().toLowerCase();
  const shown = channels.filter(({ name, network }) => `${name} ${networkName(network)}`.toLowerCase().includes(words));
  const choose = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(chosen);
    for (const id of ids)
      if (isOn) next.add(id);
      else next.delete(id);
    onChange(channels.filter(({ id }) => next.has(id)).map(({ id }) => id));
  };
  if (channels.length === 0)
    return (
      <EmptyState
        title="No Channels yet"
        action={
          <LinkButton to="/channels" look="primary">
            Connect a Channel
          </LinkButton>
        }
      >
        A Post goes to Channels: your accounts at the Networks. Connect one, then come back; what you write is kept.
      </EmptyState>
    );
  return (
    <FieldPlace field="channels" channelId={null}>
      <div
        role="group"
        aria-labelledby={`${troubleId}-name`}
        aria-describedby={trouble === undefined ? undefined : troubleId}
      >
        <h2 id={`${troubleId}-name`}>Channels</h2>
        {channels.length > MANY ? (
          <TextField label="Find a Channel" type="search" value={sought} onChange={setSought} />
        ) : null}
        <div className="channel-groups">
          {NETWORKS.map((network) => {
            const own = shown.filter((channel) => channel.network === network);
            return own.length === 0 ? null : (
              <NetworkGroup key={network} channels={own} chosen={chosen} onChoose={choose} />
            );
          })}
        </div>
        {shown.length === 0 ? <p className="field-note">No Channel has these words in its name.</p> : null}
        <FieldTrouble id={troubleId} message={trouble} />
      </div>
    </FieldPlace>
  );
}

interface NetworkGroupProps {
  readonly channels: readonly ComposeChannel[];
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[], isOn: boolean) => void;
}

function NetworkGroup({ channels, chosen, onChoose }: NetworkGroupProps) {
  const { network } = channels[0]!;
  const free = channels.filter(({ state }) => state === 'connected').map(({ id }) => id);
  const areAll = free.every((id) => chosen.includes(id));
  return (
    <div className="channel-group" role="group" aria-label={networkName(network)}>
      <div className="channel-group-head">
        <NetworkMark network={network} />
        {free.length > 1 ? (
          <Button
            look="quiet"
            aria-label={`${areAll ? 'None' : `All ${free.length}`} of ${networkName(network)}`}
            onPress={() => onChoose(free, !areAll)}
          >
            {areAll ? 'None' : `All ${free.length}`}
          </Button>
        ) : null}
      </div>
      {channels.map(({ id, name, state }) => (
        <Checkbox
          key={id}
          isSelected={chosen.includes(id)}
          isDisabled={state !== 'connected' && !chosen.includes(id)}
          onChange={(isOn) => onChoose([id], isOn)}
          {...(state === 'connected' ? {} : { note: 'Needs to be reconnected, on the page Channels' })}
        >
          <bdi>{name}</bdi>
        </Checkbox>
      ))}
    </div>
  );
}
