import type { Log } from '#ports/log.ts';
import { MemoryBroker, type MemoryLogOptions } from './broker.ts';
import { MemoryLogControl } from './log-control.ts';

/** A `Log` that is one client of the records that it holds; `client` makes others, each standing for one process. */
export interface MemoryLog extends Log {
  readonly control: MemoryLogControl;
  /** A further client. After `crash` or `close` of a name, the name may be used again. */
  client(name: string): Log;
}

/**
 * A log that lives as long as the returned object: closing a client, even the log itself, keeps records and
 * acknowledgements.
 */
export function createMemoryLog(options: MemoryLogOptions): MemoryLog {
  const broker = new MemoryBroker(options);
  const control = new MemoryLogControl(broker);
  const main = broker.client('main');
  return {
    control,
    client: (name) => broker.client(name),
    append: (topic, records, appendOptions) => main.append(topic, records, appendOptions),
    subscribe: (subscriber) => main.subscribe(subscriber),
    progress: (readings) => main.progress(readings),
    partitions: (topic) => main.partitions(topic),
    check: () => main.check(),
    close: () => main.close(),
  };
}
