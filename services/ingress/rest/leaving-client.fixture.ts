import { once } from 'node:events';
import { connect } from 'node:net';

/** Sends half of a form to the path, and leaves; resolves once the server has answered requests that came later. */
export async function leaveWhileSending(url: string, path: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = `POST ${path} HTTP/1.1\r\nHost: crier.test\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nstate=`;
  await new Promise((sent) => socket.write(head, sent));
  // Once a later request is answered, the former is being read.
  await fetch(`${url}/none`);
  socket.destroy();
  await once(socket, 'close');
  await fetch(`${url}/none`);
}
