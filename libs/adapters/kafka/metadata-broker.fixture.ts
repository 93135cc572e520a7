import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

const API_VERSIONS = 18;
const METADATA = 3;
const LEADER_NOT_AVAILABLE = 5;
/** More than there are requests that a client asks for. */
const REQUESTS = 40;

const short = (value: number): Buffer => Buffer.from([(value >> 8) & 0xff, value & 0xff]);
const int = (value: number): Buffer => Buffer.from(new Int32Array([value]).buffer).swap32();
const text = (value: string): Buffer => Buffer.concat([short(value.length), Buffer.from(value)]);
const list = (items: readonly Buffer[]): Buffer => Buffer.concat([int(items.length), ...items]);

/** The topics of a broker, with the leaders of their partitions; null: a partition has none. */
export type LeadersByTopic = Readonly<Record<string, readonly (number | null)[]>>;

/** A broker that tells of its topics, in the oldest version of each request, and does nothing else. */
export class MetadataBroker implements AsyncDisposable {
  readonly address: string;
  readonly #server: Server;
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(server: Server, sockets: ReadonlySet<Socket>) {
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.#sockets = sockets;
  }

  static async start(leaders: LeadersByTopic): Promise<MetadataBroker> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      let received: Buffer = Buffer.alloc(0);
      socket.on('data', (chunk) => {
        received = Buffer.concat([received, chunk]);
        while (received.length >= 4 && received.length >= 4 + received.readInt32BE(0)) {
          const request = received.subarray(4, 4 + received.readInt32BE(0));
          received = received.subarray(4 + request.length);
          const answer = Buffer.concat([request.subarray(4, 8), answerTo(request, socket.localPort!, leaders)]);
          socket.write(Buffer.concat([int(answer.length), answer]));
        }
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new MetadataBroker(server, sockets);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function answerTo(request: Buffer, port: number, leaders: LeadersByTopic): Buffer {
  const [key, version] = [request.readInt16BE(0), request.readInt16BE(2)];
  if (key === API_VERSIONS) {
    const versions = Array.from({ length: REQUESTS }, (_, each) => Buffer.concat([short(each), short(0), short(0)]));
    // Newer versions also tell for how long the client is throttled.
    return Buffer.concat([short(0), list(versions), ...(version === 0 ? [] : [int(0)])]);
  }
  if (key !== METADATA) throw new Error(`a broker of metadata was asked for ${key}`);
  const topics = Object.entries(leaders).map(([name, ofPartitions]) => {
    const partitions = ofPartitions.map((leader, id) =>
      Buffer.concat([
        short(leader === null ? LEADER_NOT_AVAILABLE : 0),
        int(id),
        int(leader ?? -1),
        list([]),
        list([]),
      ]),
    );
    return Buffer.concat([short(0), text(name), list(partitions)]);
  });
  return Buffer.concat([list([Buffer.concat([int(1), text('127.0.0.1'), int(port)])]), list(topics)]);
}
