import type { Server, ServerResponse } from 'node:http';

/** Counts the requests that the listeners of a process are answering. A stream of events counts while it is open. */
export class RequestsInFlight {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  watch(server: Server): void {
    server.on('request', (_request, response: ServerResponse) => {
      this.#count++;
      // Emitted once, whether the answer was sent or the connection ended before.
      response.once('close', () => this.#count--);
    });
  }
}
