import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Place {
  readonly host: string;
  readonly port: number;
}

interface Pair {
  readonly near: Socket;
  /** Null while the way is cut: it is connected once the way is healed. */
  far: Socket | null;
}

/**
 * A way from clients to a server that can be cut. Cut, it is silent, as behind a switch that drops packets: connections
 * are taken and stay open, and nothing passes in either direction until it is healed.
 */
export class CutProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #to: Place;
  readonly #pairs = new Set<Pair>();
  #isCut = false;

  private constructor(to: Place) {
    this.#to = to;
    this.#server = createServer({ pauseOnConnect: true }, (near) => this.#accept(near));
  }

  static async start(at: Place, to: Place): Promise<CutProxy> {
    const proxy = new CutProxy(to);
    await once(proxy.#server.listen(at.port, at.host), 'listening');
    return proxy;
  }

  cut(): void {
    this.#isCut = true;
    for (const { near, far } of this.#pairs) {
      near.unpipe();
      far?.unpipe();
      near.pause();
      far?.pause();
    }
  }

  heal(): void {
    this.#isCut = false;
    for (const pair of this.#pairs) this.#pass(pair);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { near, far } of this.#pairs) {
      near.destroy();
      far?.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(near: Socket): void {
    const pair: Pair = { near, far: null };
    this.#pairs.add(pair);
    this.#endTogether(pair, near);
    if (!this.#isCut) this.#pass(pair);
  }

  #pass(pair: Pair): void {
    if (pair.far === null) {
      pair.far = connect(this.#to.port, this.#to.host);
      this.#endTogether(pair, pair.far);
    }
    pair.near.pipe(pair.far);
    pair.far.pipe(pair.near);
  }

  #endTogether(pair: Pair, socket: Socket): void {
    // A reset of one side is passed on as the end of both, which `close` does.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      pair.near.destroy();
      pair.far?.destroy();
      this.#pairs.delete(pair);
    });
  }
}
