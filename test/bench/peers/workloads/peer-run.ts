import type { Meter } from '../meter.ts';
import type { RunningPeer } from '../peer.ts';
import type { Sink } from '../sink/start-sink.ts';
import type { PeerSizes } from '../sizes.ts';

/** One turn of one peer: everything is measured on the same processes. */
export interface PeerRun {
  readonly peer: RunningPeer;
  readonly sink: Sink;
  readonly meter: Meter;
  readonly sizes: PeerSizes;
  say(line: string): void;
}

/** Figures of one row in one turn; their names are those of the report, with their units. */
export type Figures = Readonly<Record<string, number>>;
