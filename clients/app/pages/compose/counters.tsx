import type { LimitedText, TextLimit } from '#domain/network-limits.ts';
import type { DraftFile } from '#domain/post/draft.ts';
import { networkName } from '../../parts/network-mark.tsx';
import type { ComposeChannel } from './checks/blockers.ts';
import { LIMITS } from './checks/network-limits.ts';

/** From this part of a limit on, its counter says so by colour and words. */
const NEAR = 0.9;

export interface CountersProps {
  readonly what: LimitedText;
  readonly text: string;
  /** Channels whose Networks count this text. */
  readonly channels: readonly ComposeChannel[];
  readonly media: readonly DraftFile[];
}

/** How much of a text each Network counts, once for Channels that count alike. */
export function Counters({ what, text, channels, media }: CountersProps) {
  const limits = new Map<string, { readonly name: string; readonly limit: TextLimit }>();
  for (const { network, kind } of channels) {
    const limit = LIMITS[network]?.texts?.({ placement: 'feed', channel: { network, kind }, media })[what];
    if (limit !== undefined) limits.set(`${network} ${limit.most}`, { name: networkName(network), limit });
  }
  if (limits.size === 0) return null;
  return (
    <span className="counters">
      {[...limits].map(([key, { name, limit }]) => (
        <Counter key={key} name={name} limit={limit} used={limit.count(text)} />
      ))}
    </span>
  );
}

function Counter({ name, limit: { most, unit }, used }: { name: string; limit: TextLimit; used: number }) {
  const state = used > most ? 'over' : used >= most * NEAR ? 'near' : 'far';
  return (
    <span className={`counter counter-${state}`}>
      {name} <span className="counter-numbers">{`${used.toLocaleString('en')} / ${most.toLocaleString('en')}`}</span>
      {unit === 'bytes' ? ' bytes' : ''}
      {state === 'over' ? <strong>{` ${(used - most).toLocaleString('en')} too many`}</strong> : null}
      {state === 'near' ? ` ${(most - used).toLocaleString('en')} left` : null}
    </span>
  );
}
