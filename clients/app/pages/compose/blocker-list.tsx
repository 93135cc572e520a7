import { useContext } from 'react';
import { networkName } from '../../parts/network-mark.tsx';
import type { ComposeChannel, ShownBlocker } from './checks/blockers.ts';
import { BlockersContext } from './fields.tsx';

export interface BlockerListProps {
  readonly chosen: readonly ComposeChannel[];
  readonly onJump: (blocker: ShownBlocker) => void;
}

/** Everything that stands against the Post, each with a way to where it is put right. */
export function BlockerList({ chosen, onJump }: BlockerListProps) {
  const blockers = useContext(BlockersContext);
  if (blockers.length === 0) return null;
  const nameOf = (id: string | null) => {
    const channel = chosen.find((each) => each.id === id);
    return channel === undefined ? null : `${channel.name} on ${networkName(channel.network)}`;
  };
  return (
    <section className="blocker-list" aria-labelledby="blocker-list-name" id="blocker-list" tabIndex={-1}>
      <h2 id="blocker-list-name">
        {blockers.length === 1 ? 'One thing to put right' : `${blockers.length} things to put right`}
      </h2>
      <ul>
        {blockers.map((blocker) => {
          const name = nameOf(blocker.channelId);
          return (
            <li key={`${blocker.channelId} ${blocker.file} ${blocker.message}`}>
              <button type="button" className="blocker-jump" onClick={() => onJump(blocker)}>
                {name === null ? null : (
                  <strong>
                    <bdi>{name}</bdi>:{' '}
                  </strong>
                )}
                {blocker.message}
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
