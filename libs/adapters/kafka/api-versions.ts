import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { PortError } from '#ports/errors.ts';
import type { ConnectGate, KafkaAccess } from './client.ts';

interface UsedRequest {
  readonly key: number;
  /** The newest version that kafkajs 2.2.4 can send (src/protocol/requests). */
  readonly newest: number;
}

/** The requests that the log makes. kafkajs itself checks only a broker's newest version, never its oldest. */
const USED_REQUESTS: Readonly<Record<string, UsedRequest>> = {
  Produce: { key: 0, newest: 7 },
  Fetch: { key: 1, newest: 11 },
  ListOffsets: { key: 2, newest: 3 },
  Metadata: { key: 3, newest: 6 },
  OffsetCommit: { key: 8, newest: 5 },
  OffsetFetch: { key: 9, newest: 4 },
  FindCoordinator: { key: 10, newest: 2 },
  JoinGroup: { key: 11, newest: 5 },
  Heartbeat: { key: 12, newest: 3 },
  LeaveGroup: { key: 13, newest: 3 },
  SyncGroup: { key: 14, newest: 3 },
  InitProducerId: { key: 22, newest: 1 },
};

const API_VERSIONS = 18;
const CORRELATION_ID = 1;

/**
 * Oldest version by API key, from the body of an ApiVersions v0 response: error int16, then [key, min, max] int16 each.
 */
export function oldestVersions(body: Buffer): ReadonlyMap<number, number> {
  const error = body.readInt16BE(0);
  if (error !== 0) throw new PortError('unavailable', `Kafka answers error ${error} to being asked for its versions`);
  const count = body.readInt32BE(2);
  return new Map(
    Array.from({ length: count }, (_, index) => [body.readInt16BE(6 + index * 6), body.readInt16BE(8 + index * 6)]),
  );
}

/** One line that says why a broker with these oldest versions can't be used, else null. */
export function versionTrouble(oldest: ReadonlyMap<number, number>): string | null {
  const refused = Object.entries(USED_REQUESTS).filter(([, { key, newest }]) => (oldest.get(key) ?? Infinity) > newest);
  if (refused.length === 0) return null;
  const details = refused.map(
    ([name, { key, newest }]) => `${name} (speaks ${newest}, wanted ${oldest.get(key) ?? 'not offered'} or newer)`,
  );
  return `this Kafka is too new or too old for the client kafkajs 2.2.4: ${details.join(', ')}`;
}

/**
 * Asks all brokers at once, and returns the address of the first that answers: one that is down may leave requests
 * unanswered for as long as the time-out. Rejects `refused` with the reason when the versions do not match,
 * `unavailable` when no broker answers.
 */
export async function checkVersions(access: KafkaAccess, gate: ConnectGate, timeoutMs: number): Promise<string> {
  const answered = new AbortController();
  const asked = access.brokers.map(async (broker) => {
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), answered.signal]);
    return { broker, oldest: oldestVersions(await ask(access, broker, gate, signal)) };
  });
  try {
    const { broker, oldest } = await Promise.any(asked);
    const trouble = versionTrouble(oldest);
    if (trouble !== null) throw new PortError('refused', `${broker}: ${trouble}`);
    return broker;
  } catch (error) {
    if (error instanceof PortError) throw error;
    const failure: unknown = error instanceof AggregateError ? error.errors.at(-1) : error;
    const reason =
      failure instanceof Error ? failure.message || String((failure as NodeJS.ErrnoException).code) : String(failure);
    throw new PortError('unavailable', `no Kafka answers at ${access.brokers.join(', ')}: ${reason}`, {
      cause: failure,
    });
  } finally {
    answered.abort();
  }
}

async function ask(access: KafkaAccess, broker: string, gate: ConnectGate, signal: AbortSignal): Promise<Buffer> {
  const at = broker.lastIndexOf(':');
  const ssl: ConnectionOptions | undefined = access.tls === undefined ? undefined : { ...access.tls() };
  const socket: Socket = gate.socketFactory({
    host: broker.slice(0, at).replace(/^\[|\]$/g, ''),
    port: Number(broker.slice(at + 1)),
    ssl: ssl as ConnectionOptions,
    onConnect: () => socket.write(request(access.clientId)),
  });
  try {
    return await answer(socket, signal);
  } finally {
    socket.destroy();
  }
}

async function answer(socket: Socket, signal: AbortSignal): Promise<Buffer> {
  let received = Buffer.alloc(0);
  while (received.length < 4 || received.length < 4 + received.readInt32BE(0)) {
    const [chunk] = await Promise.race([
      once(socket, 'data', { signal }),
      once(socket, 'close', { signal }).then(() => Promise.reject(new Error('connection closed'))),
    ]);
    received = Buffer.concat([received, chunk as Buffer]);
  }
  return received.subarray(8);
}

/** ApiVersions v0: header v1 (key, version, correlation id, client id), no body; the frame's length first. */
function request(clientId: string): Buffer {
  const name = Buffer.from(clientId);
  const frame = Buffer.alloc(14 + name.length);
  frame.writeInt32BE(10 + name.length, 0);
  frame.writeInt16BE(API_VERSIONS, 4);
  frame.writeInt16BE(0, 6);
  frame.writeInt32BE(CORRELATION_ID, 8);
  frame.writeInt16BE(name.length, 12);
  name.copy(frame, 14);
  return frame;
}
