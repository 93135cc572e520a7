import { LinkButton } from '../parts/link-button.tsx';
import { Icon } from '../parts/icon.tsx';
import { Time } from '../parts/time.tsx';
import { networkName } from '../parts/network-mark.tsx';
import { useHolds, type ShownHold } from '../workspace/holds.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import './bands.css';

/** While publishing is held: what, since when, by whom, why, and who can release it. */
export function HeldBand() {
  const holds = useHolds();
  return (
    <div role="status">
      {holds.map((hold) => (
        <HeldLine key={`${hold.network} ${hold.by} ${hold.since}`} hold={hold} />
      ))}
    </div>
  );
}

function HeldLine({ hold }: { readonly hold: ShownHold }) {
  const { network, reason, since, by, isOurs, isRestore } = hold;
  const { role } = useWorkspace();
  if (isRestore) return <RestoredLine since={since} />;
  const what = network === null ? 'Publishing' : `Publishing on ${networkName(network)}`;
  return (
    <p className="band band-held">
      <Icon name="alert" />
      <span>
        {what} is held since <Time at={since} form="absolute" /> by {isOurs ? by : 'the people who run Crier'}: {reason}
      </span>
      {isOurs && role === 'owner' ? <LinkButton to="/settings">Release it in the settings</LinkButton> : null}
      {isOurs && role !== 'owner' ? <span>An owner can release it.</span> : null}
    </p>
  );
}

/** The reason of this hold is written for operators. */
function RestoredLine({ since }: Pick<ShownHold, 'since'>) {
  return (
    <p className="band band-held">
      <Icon name="alert" />
      <span>
        Crier was restored from a backup on <Time at={since} form="absolute" />, so publishing is held: what was due may
        be live already. Only the people who run Crier can release it, and they choose whether the Networks are asked
        first. What you do not want published, cancel now: what may be live can not be edited or moved.
      </span>
    </p>
  );
}
