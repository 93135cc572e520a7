import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6, type Socket } from 'node:net';

/** A proxy refused, or ended, before there was a tunnel. */
class ProxyRefusal extends Error {
  override readonly name = 'ProxyRefusal';
}

/**
 * A tunnel through an HTTP proxy to one address, by CONNECT. The proxy gets an address and never a name: it was looked
 * up and judged here, and the proxy can not be led elsewhere by another answer of the DNS. `opened` gets the socket to
 * the proxy as soon as there is one, to end it. Rejects when the proxy can not be reached, or refuses.
 */
export function openTunnel(
  proxy: URL,
  { address, port }: { readonly address: string; readonly port: number },
  opened: (socket: Socket) => void,
): Promise<Socket> {
  const target = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  const request = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request({
      host: proxy.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port),
      method: 'CONNECT',
      path: target,
      headers: { Host: target },
      agent: false,
    });
    asked.on('socket', opened);
    asked.on('connect', ({ statusCode = 0 }, socket, head) => {
      // The other end says nothing before our handshake; what came early is not from it.
      if (statusCode >= 200 && statusCode < 300 && head.length === 0) return resolve(socket as Socket);
      socket.destroy();
      reject(new ProxyRefusal(`the egress proxy answered ${statusCode}`));
    });
    asked.on('response', ({ statusCode }) => {
      asked.destroy();
      reject(new ProxyRefusal(`the egress proxy answered ${statusCode}`));
    });
    asked.on('error', reject);
    asked.end();
  });
}
