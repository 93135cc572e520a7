import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '#ports/clock.ts';

export interface AnswerPaceOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** What a client has to take of what waits for it, and over how long it is judged. */
  readonly pace: { readonly bytesPerSecond: number; readonly windowMs: number };
  /** Answers whose handler judges the reader itself. */
  readonly judgedByHandler?: WeakSet<ServerResponse>;
  /** `client`: the address of the connection, which may be a proxy's. */
  readonly onCutOff: (client: string | undefined) => void;
}

/** In each window a connection is looked at so often, so that it is cut off a sixth of a window late at most. */
const LOOKS_A_WINDOW = 6;

/** Of a connection on which something waits to be taken, while it is judged. */
interface Stretch {
  /** What its client had taken when the stretch began, and what waited for it then. */
  readonly takenBefore: number;
  readonly waitedBefore: number;
  looks: number;
}

/**
 * Ends connections whose client takes less of its answers than the pace asks for. Node bounds what a client sends, and
 * never how long an answer waits for it: who asks again and again and reads nothing would hold memory and descriptors
 * without end.
 *
 * A connection is watched from the write that left bytes waiting until none wait. One timer serves all connections that
 * are watched, and is not armed while there are none. So an answer that the kernel takes at once costs no timer, and a
 * stream of events stays open for as long as its reader takes what comes.
 */
export function enforceAnswerPace(server: Server, isSecure: boolean, options: AnswerPaceOptions): void {
  const watch = new AnswerWatch(options);
  server.on(isSecure ? 'secureConnection' : 'connection', (socket: Socket) => watch.follow(socket));
  server.once('close', () => watch.stop());
}

class AnswerWatch {
  readonly #options: AnswerPaceOptions;
  readonly #leastBytes: number;
  /** Null: the stretch begins with the next look. */
  readonly #watched = new Map<Socket, Stretch | null>();
  #cancel: Cancel | null = null;

  constructor(options: AnswerPaceOptions) {
    this.#options = options;
    this.#leastBytes = (options.pace.bytesPerSecond * options.pace.windowMs) / 1_000;
  }

  /** Node emits no event when a write leaves bytes waiting, so each write is followed by a look at the connection. */
  follow(socket: Socket): void {
    const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
    socket.write = (...given: unknown[]): boolean => {
      const hasRoom = write(...given);
      // Node holds small writes back until the end of the answer or of the turn, and hands them over together.
      if (socket.writableLength > 0) process.nextTick(this.#watchIfWaiting, socket);
      return hasRoom;
    };
  }

  stop(): void {
    this.#watched.clear();
    this.#cancel?.();
    this.#cancel = null;
  }

  readonly #watchIfWaiting = (socket: Socket): void => {
    if (!this.#isWaiting(socket) || this.#watched.has(socket)) return;
    this.#watched.set(socket, null);
    this.#cancel ??= this.#arm();
  };

  #arm(): Cancel {
    const { clock, pace } = this.#options;
    return clock.after(pace.windowMs / LOOKS_A_WINDOW, () => this.#look());
  }

  /** Counts looks and no time: what passed while this process itself stood still is not the clients' fault. */
  #look(): void {
    for (const [socket, stretch] of this.#watched) {
      if (!this.#isWaiting(socket)) this.#watched.delete(socket);
      else if (stretch === null) this.#watched.set(socket, beginStretch(socket));
      else if (++stretch.looks === LOOKS_A_WINDOW) this.#judge(socket, stretch);
    }
    this.#cancel = this.#watched.size === 0 ? null : this.#arm();
  }

  #isWaiting(socket: Socket): boolean {
    if (socket.destroyed || socket.writableLength === 0) return false;
    const answer = partsOf(socket)._httpMessage ?? null;
    return answer === null || this.#options.judgedByHandler?.has(answer) !== true;
  }

  /** Enough is also all that waited when the stretch began: events that are taken as they come may be few bytes. */
  #judge(socket: Socket, { takenBefore, waitedBefore }: Stretch): void {
    const taken = takenOf(socket) - takenBefore;
    if (taken >= Math.min(this.#leastBytes, waitedBefore)) return void this.#watched.set(socket, beginStretch(socket));
    this.#watched.delete(socket);
    this.#options.onCutOff(socket.remoteAddress);
    socket.destroy();
  }
}

function beginStretch(socket: Socket): Stretch {
  return { takenBefore: takenOf(socket), waitedBefore: socket.writableLength, looks: 0 };
}

/** What Node keeps of a connection: the bytes that it began to write, and those of them that wait for the kernel. */
interface SocketHandle {
  readonly bytesWritten: number;
  readonly writeQueueSize: number;
}

interface SocketParts {
  readonly _handle: SocketHandle | null;
  /** Of a connection of TLS that of TCP below it; its own handle tells no progress within one write. */
  readonly _parent: SocketParts | null;
  /** What is being sent, of several answers that were asked for one after the other. */
  readonly _httpMessage?: ServerResponse | null;
}

function partsOf(socket: Socket): SocketParts {
  return socket as unknown as SocketParts;
}

/**
 * The bytes that the kernel took. `socket.bytesWritten` counts a write as a whole as soon as it begins: of an answer of
 * megabytes that is written in one go it would tell no progress until the end.
 */
function takenOf(socket: Socket): number {
  const parts = partsOf(socket);
  const handle = (parts._parent ?? parts)._handle;
  return handle === null ? 0 : handle.bytesWritten - handle.writeQueueSize;
}
