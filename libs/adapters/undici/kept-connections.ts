import type { PublicPlace } from './public-address.ts';
import type { Destination, PublicConnection } from './public-connection.ts';

/** The largest number of attempts that a busy endpoint has at once. */
const MAX_OF_ONE_ORIGIN = 32;
const MOST = 256;

/**
 * Connections that finished an exchange well and are kept for a moment for another. Keeping one saves a handshake, nine
 * tenths of the cost of a delivery. It saves no check: each request looks the name up anew, and gets only a connection
 * to an address of that very answer.
 */
export class KeptConnections {
  /** Newest last, which is the least likely to have been closed at the other end. */
  readonly #idle: PublicConnection[] = [];

  take(place: PublicPlace, destination: Destination): PublicConnection | null {
    this.#drop((connection) => connection.isOver);
    const index = this.#idle.findLastIndex((connection) => connection.serves(place, destination));
    return index < 0 ? null : this.#idle.splice(index, 1)[0]!;
  }

  give(connection: PublicConnection, place: PublicPlace, destination: Destination): void {
    this.#drop((one) => one.isOver);
    const ofOrigin = this.#idle.filter((one) => one.serves(place, destination)).length;
    if (connection.isOver || ofOrigin >= MAX_OF_ONE_ORIGIN || this.#idle.length >= MOST) connection.end();
    else this.#idle.push(connection);
  }

  close(): void {
    for (const connection of this.#idle.splice(0)) connection.end();
  }

  #drop(isDropped: (connection: PublicConnection) => boolean): void {
    for (let index = this.#idle.length - 1; index >= 0; index -= 1)
      if (isDropped(this.#idle[index]!)) this.#idle.splice(index, 1);
  }
}
