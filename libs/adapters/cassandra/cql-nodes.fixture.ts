import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TABLES } from '#tables/declarations/tables.ts';
import type { CassandraConnection } from './client.ts';

/** Of version 4 of the native protocol. */
const VERSION = 4;
const HEADER_BYTES = 9;
const REQUEST = { startup: 0x01, options: 0x05, query: 0x07, prepare: 0x09, execute: 0x0a, register: 0x0b };
const ANSWER = { error: 0x00, ready: 0x02, supported: 0x06, result: 0x08 };
const ERROR = { protocol: 0x0a, unavailable: 0x1000 };
const RESULT = { nothing: 1, rows: 2, prepared: 4 };
const TYPE = { bigint: 0x02, blob: 0x03, int: 0x09, text: 0x0d, inet: 0x10 };
const LOCAL_QUORUM = 6;
const ADDRESSES = ['127.0.0.1', '127.0.0.2'] as const;

/** What becomes of a statement: it gets no answer, it is refused for want of replicas, or it is done. */
export type Fate = 'silence' | 'too_few_replicas' | 'done';

type Cell = readonly [name: string, type: number, value: Buffer];

const short = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const int = (value: number): Buffer => Buffer.from(new Uint32Array([value]).buffer).swap32();
const text = (value: string): Buffer => Buffer.concat([short(value.length), Buffer.from(value)]);
const inet = (address: string): Buffer => Buffer.from(address.split('.').map(Number));

/**
 * Two nodes that speak enough of the native protocol for the driver: they know of each other, and prepare any UPDATE of
 * our tables. Statements meet the given fates in the order in which they arrive, at whichever node.
 */
export class CqlNodes implements AsyncDisposable {
  readonly connection: CassandraConnection;
  readonly #arrived: () => number;
  readonly #servers: readonly Server[];
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(arrived: () => number, servers: readonly Server[], sockets: ReadonlySet<Socket>, port: number) {
    this.#arrived = arrived;
    this.connection = { contactPoints: ADDRESSES, port, localDataCenter: 'dc' };
    this.#servers = servers;
    this.#sockets = sockets;
  }

  static async start(fates: readonly Fate[]): Promise<CqlNodes> {
    const sockets = new Set<Socket>();
    const coming = [...fates];
    let arrived = 0;
    const nextFate = (): Fate => {
      arrived++;
      return coming.shift() ?? 'done';
    };
    const servers: Server[] = [];
    let port = 0;
    for (const address of ADDRESSES) {
      const server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => {});
        answerAll(socket, address, nextFate);
      });
      server.listen(port, address);
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
      servers.push(server);
    }
    return new CqlNodes(() => arrived, servers, sockets, port);
  }

  /** Statements and batches that arrived so far, at both. */
  get arrived(): number {
    return this.#arrived();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function answerAll(socket: Socket, address: string, nextFate: () => Fate): void {
  let received: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= HEADER_BYTES && received.length >= HEADER_BYTES + received.readInt32BE(5)) {
      const end = HEADER_BYTES + received.readInt32BE(5);
      const frame = received.subarray(0, end);
      received = received.subarray(end);
      const answer = answerTo(frame, address, nextFate);
      if (answer !== null) socket.write(framed(frame.readInt16BE(2), answer));
    }
  });
}

type Answer = readonly [opcode: number, body: Buffer];

function framed(stream: number, [opcode, body]: Answer): Buffer {
  return Buffer.concat([
    Buffer.from([0x80 | VERSION, 0]),
    short(stream),
    Buffer.from([opcode]),
    int(body.length),
    body,
  ]);
}

/** Null: it gets none. */
function answerTo(frame: Buffer, address: string, nextFate: () => Fate): Answer | null {
  if (frame[0] !== VERSION)
    return [ANSWER.error, Buffer.concat([int(ERROR.protocol), text('Invalid or unsupported protocol version')])];
  switch (frame[4]) {
    case REQUEST.options:
      return [ANSWER.supported, short(0)];
    case REQUEST.startup:
    case REQUEST.register:
      return [ANSWER.ready, Buffer.alloc(0)];
    case REQUEST.query:
      return [ANSWER.result, rowsOf(frame.subarray(HEADER_BYTES + 4).toString(), address)];
    case REQUEST.prepare: {
      const noResult = Buffer.concat([int(4), int(0)]);
      const parameters = parametersOf(frame.subarray(HEADER_BYTES + 4).toString());
      return [ANSWER.result, Buffer.concat([int(RESULT.prepared), text('id'), parameters, noResult])];
    }
    default:
      return answerBy(nextFate());
  }
}

const LONGS = new Set(
  TABLES.flatMap(({ partitionKey, clusteringKey }) => [...partitionKey, ...clusteringKey]).flatMap(({ name, type }) =>
    type === 'long' ? [name] : [],
  ),
);

/** Of an UPDATE of one of our tables. */
function parametersOf(query: string): Buffer {
  const names = [...query.matchAll(/(\w+)"?(?: =)? \?/g)].map(([, name]) => name!);
  const typeOf = (name: string): number => {
    if (name === 'body') return TYPE.blob;
    if (name === 'format' || name === 'TTL') return TYPE.int;
    return name === 'TIMESTAMP' || LONGS.has(name) ? TYPE.bigint : TYPE.text;
  };
  return Buffer.concat([
    ...[int(1), int(names.length), int(0), text('crier'), text('any')],
    ...names.flatMap((name) => [text(name), short(typeOf(name))]),
  ]);
}

function answerBy(fate: Fate): Answer | null {
  if (fate === 'silence') return null;
  if (fate === 'done') return [ANSWER.result, int(RESULT.nothing)];
  return [
    ANSWER.error,
    Buffer.concat([int(ERROR.unavailable), text('too few replicas'), short(LOCAL_QUORUM), int(2), int(1)]),
  ];
}

/** What the driver asks of the cluster; of the schema there is nothing to tell. */
function rowsOf(query: string, address: string): Buffer {
  const about = (name: string, of: string): readonly Cell[] => [
    [name, TYPE.inet, inet(of)],
    ['rpc_address', TYPE.inet, inet(of)],
    ['data_center', TYPE.text, Buffer.from('dc')],
    ['rack', TYPE.text, Buffer.from('rack')],
    ['release_version', TYPE.text, Buffer.from('4.1.0')],
  ];
  if (query.includes('system.local')) return rows([about('listen_address', address)]);
  if (query.includes('system.peers'))
    return rows(ADDRESSES.filter((other) => other !== address).map((other) => about('peer', other)));
  return rows([]);
}

function rows(found: readonly (readonly Cell[])[]): Buffer {
  const columns = found[0] ?? [];
  return Buffer.concat([
    ...[int(RESULT.rows), int(1), int(columns.length), text('system'), text('any')],
    ...columns.flatMap(([name, type]) => [text(name), short(type)]),
    int(found.length),
    ...found.flat().flatMap(([, , value]) => [int(value.length), value]),
  ]);
}
