import { useEffect, useRef } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { PageHeading } from '../../frame/page-heading.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { showToast } from '../../parts/toast.tsx';
import { serverKey, useServerQuery } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { ChannelCard } from './channel-card.tsx';
import './channels.css';
import { CONNECT_HEADING, ConnectChannels } from './connect-channels.tsx';
import type { ChannelList } from './listed-channel.ts';
import { isolating } from '../../parts/isolating.ts';

/** The Channels of the Workspace: what state they are in, and what can be connected. */
export function ChannelsPage() {
  const { id: workspaceId } = useWorkspace();
  const queryClient = useQueryClient();
  const { data, error, refetch } = useServerQuery((from) => from.channels.list, { workspaceId });
  useArrivals(data);
  const readAgain = (): void => {
    void queryClient.invalidateQueries({ queryKey: serverKey((from) => from.channels.list) });
  };
  return (
    <>
      <PageHeading>Channels</PageHeading>
      {error === null ? null : (
        <ErrorPanel title="The Channels could not be read." error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null ? <Skeleton label="Loading Channels" /> : null}
      {data === undefined ? null : (
        <>
          {data.channels.length === 0 ? (
            <EmptyState title="No Channels yet">
              A Channel is an account at a Network that Posts go to. Connect the first one below.
            </EmptyState>
          ) : (
            <ul className="channels" aria-label="Channels">
              {data.channels.map((channel) => (
                <ChannelCard key={channel.id} channel={channel} onChange={readAgain} />
              ))}
            </ul>
          )}
          <ConnectChannels networks={data.networks} />
        </>
      )}
    </>
  );
}

/** Says once which Channels the person comes back with from a Network, and takes them out of the address. */
function useArrivals(list: ChannelList | undefined): void {
  const isSaid = useRef(false);
  useEffect(() => {
    if (list === undefined || isSaid.current) return;
    isSaid.current = true;
    const address = new URL(window.location.href);
    const ids = address.searchParams.getAll('connected').flatMap((each) => each.split(','));
    if (ids.length === 0) return;
    const names = list.channels.filter(({ id }) => ids.includes(id)).map(({ name }) => name);
    if (names.length > 0)
      showToast({ message: `${names.map((name) => isolating`${name}`).join(', ')} can be published to now.` });
    // Who types goes on to the next Network from here, instead of through every Channel again.
    document.getElementById(CONNECT_HEADING)?.focus({ preventScroll: true });
    address.searchParams.delete('connected');
    window.history.replaceState(window.history.state, '', address);
  }, [list]);
}
