import { factsOf, type Network } from '#domain/network.ts';
import './network-mark.css';

/** Drawn for this app on 16 by 16, in one colour: a hint beside the name, not the Network's own logo. */
const MARKS: Partial<Readonly<Record<Network, string>>> = {
  facebook:
    'M9.5 14.5V8.7h2l.3-2.3H9.5V5c0-.7.3-1.1 1.2-1.1h1.2V1.8C11.6 1.7 11 1.6 10.2 1.6 8.3 1.6 7 2.7 7 4.8v1.6H5v2.3h2v5.8z',
  instagram:
    'M5 1.5h6A3.5 3.5 0 0 1 14.5 5v6a3.5 3.5 0 0 1-3.5 3.5H5A3.5 3.5 0 0 1 1.5 11V5A3.5 3.5 0 0 1 5 1.5Zm0 1.4A2.1 2.1 0 0 0 2.9 5v6c0 1.2.9 2.1 2.1 2.1h6c1.2 0 2.1-.9 2.1-2.1V5c0-1.2-.9-2.1-2.1-2.1ZM8 4.8a3.2 3.2 0 1 1 0 6.4 3.2 3.2 0 0 1 0-6.4Zm0 1.4a1.8 1.8 0 1 0 0 3.6 1.8 1.8 0 0 0 0-3.6Zm3.4-2.5a.8.8 0 1 1 0 1.6.8.8 0 0 1 0-1.6Z',
  threads:
    'M8.1 1.3c3.1 0 5.1 1.6 5.7 4.3l-1.4.4c-.5-2.1-1.9-3.2-4.3-3.2-3 0-4.6 1.9-4.6 5.2s1.6 5.2 4.6 5.2c2.3 0 3.8-1.1 3.8-2.8 0-1-.5-1.8-1.5-2.2-.3 2-1.3 3-3 3-1.6 0-2.7-1-2.7-2.3 0-1.6 1.3-2.5 3.3-2.5.4 0 .8 0 1.1.1-.1-1-.6-1.5-1.6-1.5-.7 0-1.2.3-1.6.8l-1.1-.8c.6-.9 1.5-1.4 2.7-1.4 1.9 0 2.9 1.2 3.1 3.3 1.7.6 2.7 1.9 2.7 3.5 0 2.6-2.1 4.3-5.2 4.3C4.2 14.7 2 12.2 2 8s2.2-6.7 6.1-6.7Zm.1 6.5c-1.3 0-2 .4-2 1.1 0 .6.5 1 1.3 1 1 0 1.6-.7 1.7-2-.3-.1-.7-.1-1-.1Z',
  tiktok:
    'M8.4 1.5h2.2c.2 1.7 1.2 2.8 2.9 3v2.2c-1.1 0-2-.3-2.9-.9v4.5c0 2.6-1.8 4.3-4.1 4.3S2.5 13 2.5 10.6c0-2.5 1.9-4.2 4.4-4v2.3c-1.3-.1-2.2.6-2.2 1.7s.8 1.8 1.8 1.8c1.1 0 1.9-.7 1.9-2.1z',
  x: 'M1.8 2h3.7l2.9 4 3.4-4h1.6L9.1 7l5 7h-3.7L7.2 9.6 3.4 14H1.8l4.7-5.4zm2.3 1.2 7 9.6h.9l-7-9.6z',
  youtube:
    'M3.5 3h9A2.5 2.5 0 0 1 15 5.5v5a2.5 2.5 0 0 1-2.5 2.5h-9A2.5 2.5 0 0 1 1 10.5v-5A2.5 2.5 0 0 1 3.5 3Zm3 2.7v4.6l4-2.3z',
};
/** Of a Network that has no drawing yet. */
const ANY = 'M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Zm0 3a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7Z';

export interface NetworkMarkProps {
  readonly network: Network;
  /** For small cards: the mark, with the name for readers. */
  readonly isNameHidden?: boolean;
}

/** A Network by its drawing and its name. */
export function NetworkMark({ network, isNameHidden = false }: NetworkMarkProps) {
  const name = networkName(network);
  return (
    <span className="network-mark" title={isNameHidden ? name : undefined}>
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path d={MARKS[network] ?? ANY} fillRule="evenodd" />
      </svg>
      <span className={isNameHidden ? 'visually-hidden' : undefined}>{name}</span>
    </span>
  );
}

/** As people write it. */
export function networkName(network: Network): string {
  return factsOf(network).displayName;
}
