import { connect } from 'node:tls';

/** The certificate that a listener of this machine shows to a new connection, as PEM; it is not verified. */
export function shownCertificate(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
