import { useState } from 'react';
import { factsOf } from '#domain/network.ts';
import { Button } from '../../parts/button.tsx';
import { CopyableId } from '../../parts/copyable-id.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Icon } from '../../parts/icon.tsx';
import { NetworkMark } from '../../parts/network-mark.tsx';
import { Time } from '../../parts/time.tsx';
import { useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { DefaultsDialog } from './defaults-dialog.tsx';
import { DisconnectDialog } from './disconnect-dialog.tsx';
import type { ListedChannel } from './listed-channel.ts';
import { isolating } from '../../parts/isolating.ts';

export interface ChannelCardProps {
  readonly channel: ListedChannel;
  readonly onChange: () => void;
}

/** One Channel: its state, what it takes, and what the Member may do with it. */
export function ChannelCard({ channel, onChange }: ChannelCardProps) {
  const { id: workspaceId, role } = useWorkspace();
  const [open, setOpen] = useState<'defaults' | 'disconnect' | null>(null);
  const reconnect = useServerMutation((to) => to.channels.reconnect, {
    onSuccess: ({ url }) => window.location.assign(url),
  });
  const { network, name, avatarUrl, state, defaults } = channel;
  const takesStories = factsOf(network).placements.includes('story');
  const isLost = state === 'needs_reconnect';
  const set = Object.keys(defaults).length;
  return (
    <li className="channel" aria-label={isolating`${name} on ${factsOf(network).displayName}`}>
      <Avatar url={avatarUrl} />
      <div className="channel-words">
        <h2 dir="auto">{name}</h2>
        <p>
          <NetworkMark network={network} />
          {channel.kind === '' ? '' : ` · ${channel.kind}`}
        </p>
        <p className={isLost ? 'channel-lost' : 'channel-ready'}>
          <Icon name={isLost ? 'alert' : 'check'} />{' '}
          {isLost ? 'Needs to be reconnected: nothing is published to it until then' : 'Connected'}
        </p>
        <p className="channel-soft">
          {takesStories ? 'Takes feed posts and stories' : 'Takes feed posts'} · connected{' '}
          <Time at={channel.connectedAt} /> · {set === 0 ? 'no defaults' : set === 1 ? '1 default' : `${set} defaults`}
        </p>
        <CopyableId id={channel.id} label={isolating`Copy the id of ${name}`} />
        {reconnect.error === null ? null : <ErrorPanel title="It could not be begun." error={reconnect.error} />}
      </div>
      {role === 'viewer' ? null : (
        <div className="channel-buttons">
          <Button
            look={isLost ? 'primary' : 'plain'}
            icon="refresh"
            isPending={reconnect.isPending}
            onPress={() => reconnect.mutate({ workspaceId, channelId: channel.id })}
            aria-label={isolating`Reconnect ${name}`}
          >
            Reconnect
          </Button>
          <Button icon="settings" onPress={() => setOpen('defaults')} aria-label={isolating`Defaults of ${name}`}>
            Defaults
          </Button>
          {role === 'owner' ? (
            <Button look="danger" onPress={() => setOpen('disconnect')} aria-label={isolating`Disconnect ${name}`}>
              Disconnect
            </Button>
          ) : null}
        </div>
      )}
      {open === 'disconnect' ? (
        <DisconnectDialog channel={channel} onClose={() => setOpen(null)} onChange={onChange} />
      ) : null}
      {open === 'defaults' ? (
        <DefaultsDialog channel={channel} onClose={() => setOpen(null)} onChange={onChange} />
      ) : null}
    </li>
  );
}

/** The account's picture. One that can not be shown leaves its place empty: the name says who it is. */
function Avatar({ url }: { readonly url: string | null }) {
  const [isBroken, setBroken] = useState(false);
  // Only our own copies: the policy of the page loads nothing from elsewhere.
  const isOwn = url !== null && URL.parse(url, window.location.href)?.origin === window.location.origin;
  if (!isOwn || isBroken) return <span className="channel-avatar" aria-hidden="true" />;
  return <img className="channel-avatar" src={url} alt="" onError={() => setBroken(true)} />;
}
