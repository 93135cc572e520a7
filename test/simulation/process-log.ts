import type { Schedule } from '#adapters/in-process/group-options.ts';
import type { AppendFault } from '#adapters/memory/append-fault.ts';
import { PortError } from '#ports/errors.ts';
import type { Log } from '#ports/log.ts';
import type { SimulationEngine, Owner } from './engine.ts';
import type { FaultPlan } from './faults.ts';

/**
 * Lets the engine decide when each of the broker's steps happens. Labels begin with the step and name the client
 * somewhere.
 */
export function scheduleOn(engine: SimulationEngine, ownerNamed: (name: string) => Owner | undefined): Schedule {
  return (label, run) => {
    const words = label.split(' ');
    // An append in flight is stored even when its sender crashes; a delivery to a client waits for it.
    const owner = words[0] === 'append' ? undefined : words.map(ownerNamed).find((each) => each !== undefined);
    engine.later({ label, owner: owner ?? null, delayMs: engine.latencyMs() }, run);
  };
}

export function appendFault(engine: SimulationEngine, faults: () => FaultPlan['log']): () => AppendFault | undefined {
  return () => {
    const { lost, unanswered, twice, full } = faults();
    // Drawn only where it can happen, so that the runs of other worlds stay as they are.
    if (full > 0 && engine.chance(full)) return 'full';
    if (engine.chance(lost)) return 'lost';
    if (engine.chance(unanswered)) return 'ack-lost';
    return engine.chance(twice) ? 'twice' : undefined;
  };
}

/** What a Variant's way depends on, and is looked at again (ADR 0058). */
const OF_VARIANTS = /^(workspace\.commands|publish\.|timers)\./;

function goneRate(topic: string, { gone, goneElsewhere }: FaultPlan['log']): number {
  return OF_VARIANTS.test(topic) ? gone : goneElsewhere;
}

/**
 * A client of the broker that can't always reach it. `writesUnderWay`: of the process, where log and store are one;
 * what is appended behind one that fails fails with it.
 */
export function createProcessLog(
  log: Log,
  engine: SimulationEngine,
  owner: Owner,
  away: () => boolean,
  faults: () => FaultPlan['log'],
  onBoundary: () => void,
  writesUnderWay: ReadonlySet<Promise<unknown>>,
  stalled: () => Promise<void>,
  onGone: (topic: string, value: Uint8Array) => void,
): Log {
  return {
    append: async (topic, records, options) => {
      onBoundary();
      const before = writesUnderWay.size === 0 ? [] : await Promise.allSettled(writesUnderWay);
      if (before.some(({ status }) => status === 'rejected'))
        throw new PortError('unavailable', `${topic}: a write before it failed`);
      await stalled();
      if (away() || engine.chance(faults().unavailable)) {
        await engine.trip(`${owner.name} append ${topic} refused`, owner);
        throw new PortError('unavailable', `${topic}: the log is away`);
      }
      if (engine.chance(goneRate(topic, faults()))) {
        await engine.trip(`${owner.name} append ${topic} is acknowledged and gone`, owner);
        for (const { value } of records) onGone(topic, value);
        return records.map(({ partition = 0 }) => ({ partition, offset: 0 }));
      }
      const positions = await log.append(topic, records, options);
      onBoundary();
      return positions;
    },
    subscribe: (subscriber) => log.subscribe(subscriber),
    progress: (readings) => log.progress(readings),
    partitions: (topic) => log.partitions(topic),
    check: () => log.check(),
    close: () => log.close(),
  };
}
