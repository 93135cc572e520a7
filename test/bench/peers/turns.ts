import { rmSync } from 'node:fs';
import { newRunFolder } from '#testing/engines/cache-folder.ts';
import { checkPeer } from './check.ts';
import { startMeter } from './meter.ts';
import type { RunningPeer, StartPeer } from './peer.ts';
import { startSink, type Sink } from './sink/start-sink.ts';
import type { PeerSizes } from './sizes.ts';
import { allWorkloads, type TurnFigures } from './workloads/all.ts';
import type { Workload } from './workloads/workload.ts';

export interface Turn {
  readonly durability: string;
  readonly jvm: RunningPeer['jvm'];
  readonly figures: TurnFigures;
}

export interface TurnOptions {
  readonly sizes: PeerSizes;
  readonly workloads: readonly Workload[];
  say(line: string): void;
}

/**
 * One turn of one peer: its processes, empty, and a sink of its own; the check, then the workloads. All processes have
 * ended when it resolves or rejects.
 */
export async function takeTurn(start: StartPeer, { sizes, workloads, say }: TurnOptions): Promise<Turn> {
  const folder = newRunFolder('peers');
  await using ending = new AsyncDisposableStack();
  ending.defer(() => rmSync(folder, { recursive: true, force: true }));
  const sink: Sink = ending.adopt(await startSink(folder), (each) => each.stop());
  const defer = (stop: () => Promise<void>): void => ending.defer(stop);
  const peer = await start({ folder, sink, authorityFile: sink.authorityFile, defer });
  await checkPeer({ peer, sink, sizes, say });
  const meter = ending.adopt(
    startMeter(() => peer.pids()),
    (each) => each.stop(),
  );
  const { durability, jvm } = peer;
  return { durability, jvm, figures: await allWorkloads({ peer, sink, meter, sizes, say }, folder, workloads) };
}
