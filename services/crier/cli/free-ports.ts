import { createServer, type AddressInfo } from 'node:net';
import type { Config } from '#config/config.ts';

/** Chooses a free port for each setting that says 0, since addresses are handed to others before anything listens. */
export async function withPorts(config: Config): Promise<Config> {
  return {
    ...config,
    port: config.port || (await freePort(config.host)),
    adminPort: config.adminPort || (await freePort(config.adminHost)),
    sandboxPort: config.sandboxPort || (await freePort(config.sandboxHost)),
  };
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port: 0 }, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
