import { NETWORKS, type Network } from '#domain/network.ts';
import { Button } from '../../parts/button.tsx';
import { ErrorPanel } from '../../parts/error-panel.tsx';
import { NetworkMark, networkName } from '../../parts/network-mark.tsx';
import { useServerMutation } from '../../server/queries.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** Id of the heading over the Networks. */
export const CONNECT_HEADING = 'connect-heading';

/** Every Network, with the way to sign in there, or why there is none. `networks`: those that can be connected. */
export function ConnectChannels({ networks }: { readonly networks: readonly Network[] }) {
  const { id: workspaceId, role } = useWorkspace();
  const connect = useServerMutation((to) => to.channels.connect, {
    // The Network shows its own page in this tab, and sends the person back here.
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <section className="connect" aria-labelledby={CONNECT_HEADING}>
      <h2 id={CONNECT_HEADING} tabIndex={-1}>
        Connect a Channel
      </h2>
      <p className="channel-soft">
        {role === 'owner'
          ? 'You sign in at the Network itself, in this tab, and come back here.'
          : 'Only owners of this Workspace connect new Channels. Ask one of them.'}
      </p>
      {connect.error === null ? null : <ErrorPanel title="It could not be begun." error={connect.error} />}
      <ul className="connect-networks">
        {NETWORKS.map((network) => (
          <li key={network}>
            <NetworkMark network={network} />
            <ConnectOne
              network={network}
              canConnect={networks.includes(network)}
              isOwner={role === 'owner'}
              isPending={connect.isPending && connect.variables.network === network}
              onConnect={() => connect.mutate({ workspaceId, network })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ConnectOneProps {
  readonly network: Network;
  readonly canConnect: boolean;
  readonly isOwner: boolean;
  readonly isPending: boolean;
  readonly onConnect: () => void;
}

function ConnectOne({ network, canConnect, isOwner, isPending, onConnect }: ConnectOneProps) {
  const name = networkName(network);
  if (!canConnect)
    return (
      <p className="channel-soft">
        Not set up on this installation: Crier has no app at {name}. The people who run it set{' '}
        <code>{`CRIER_${network.toUpperCase()}_CLIENT_ID`}</code> and its secret.
      </p>
    );
  if (!isOwner) return null;
  return (
    <Button icon="plug" isPending={isPending} onPress={onConnect} aria-label={`Connect ${name}`}>
      Connect
    </Button>
  );
}
