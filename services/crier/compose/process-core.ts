import type { CommandRequests } from '#commands/request-command.ts';
import type { Config } from '#config/config.ts';
import type { OwnAddresses } from '#config/own-addresses.ts';
import type { ListenerTls } from '#http-server/listener.ts';
import type { RequestsInFlight } from '#http-server/requests-in-flight.ts';
import type { Supervisor } from '#runtime/supervisor.ts';
import type { Engine } from '../engines/engine.ts';
import type { Ports } from './ports.ts';

/** What the listeners of one process are composed from, whatever its roles. */
export interface ProcessCore {
  /** Every port given. */
  readonly config: Config;
  readonly engine: Engine;
  readonly ports: Ports;
  readonly addresses: OwnAddresses;
  /** The commands that this process waits for. */
  readonly requests: CommandRequests;
  /** Those at the public address. */
  readonly inFlight: RequestsInFlight;
  /** Of the public listener; null: it speaks HTTP. */
  readonly tls: ListenerTls | null;
  readonly supervisor: Pick<Supervisor, 'running' | 'health'>;
}
