import { createServer, type AddressInfo } from 'node:net';
import type { Config } from '#config/config.ts';
import type { ListeningConfig } from '../compose/crier-process.ts';

/** Chooses a port for each setting that says 0: addresses are told to others before anything listens. */
export async function withPorts(config: Config): Promise<ListeningConfig> {
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
