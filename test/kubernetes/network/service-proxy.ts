import { connect, createServer, type Server, type Socket } from 'node:net';
import type { ClusterObject } from '../kubernetes-api.ts';
import { keyOf } from '../kubernetes-api.ts';

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/**
 * What kube-proxy does, with connections of our own: whoever connects to the address of a Service is connected to one
 * of its ready pods in turn, and refused where there is none. Connections that exist go on when a pod leaves.
 */
export class ServiceProxy implements AsyncDisposable {
  readonly #listeners = new Map<string, Server>();
  readonly #sockets = new Set<Socket>();
  #services: readonly ClusterObject[] = [];
  #slices: readonly ClusterObject[] = [];
  #turn = 0;

  setServices(services: Iterable<ClusterObject>): void {
    this.#services = [...services].filter(({ spec }) => spec.clusterIP !== 'None' && spec.clusterIP !== undefined);
    this.#listen();
  }

  setEndpoints(slices: Iterable<ClusterObject>): void {
    this.#slices = [...slices];
    this.#listen();
  }

  /**
   * Each port of a Service has a listener at its address as long as a pod behind it is ready. A listener that accepts
   * and then resets would make a refusal look like an answer that was lost, after which a client can not know whether
   * its request was carried out.
   */
  #listen(): void {
    const wanted = new Map(
      this.#services.flatMap((service) =>
        (service.spec.ports as readonly any[])
          .filter((port) => this.endpoints(keyOf(service), port.name).length > 0)
          .map((port) => [`${service.spec.clusterIP}:${port.port}`, { service, port }]),
      ),
    );
    for (const [at, server] of this.#listeners)
      if (!wanted.has(at)) {
        server.close();
        this.#listeners.delete(at);
      }
    for (const [at, { service, port }] of wanted) {
      if (this.#listeners.has(at)) continue;
      const server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket, keyOf(service), port.name));
      server.on('error', () => this.#forget(at, server));
      server.listen(port.port, service.spec.clusterIP as string);
      this.#listeners.set(at, server);
    }
  }

  /** The ready pods behind a port of a Service. */
  endpoints(service: string, portName: string | undefined): readonly Endpoint[] {
    return this.#slices
      .filter(({ metadata }) => `${metadata.namespace}/${metadata.labels?.['kubernetes.io/service-name']}` === service)
      .flatMap((slice) => {
        const port = (slice['ports'] as readonly any[] | undefined)?.find(
          ({ name }) => (name ?? '') === (portName ?? ''),
        );
        if (port === undefined) return [];
        return ((slice['endpoints'] ?? []) as readonly any[])
          .filter(({ conditions }) => conditions?.ready !== false)
          .map(({ addresses }) => ({ address: addresses[0] as string, port: port.port as number }));
      });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#listeners.values()) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #forget(at: string, server: Server): void {
    if (this.#listeners.get(at) === server) this.#listeners.delete(at);
  }

  #serve(socket: Socket, service: string, portName: string | undefined): void {
    const ready = this.endpoints(service, portName);
    const target = ready[this.#turn++ % Math.max(1, ready.length)];
    this.#keep(socket);
    if (target === undefined) {
      socket.resetAndDestroy();
      return;
    }
    const onward = connect({ host: target.address, port: target.port, allowHalfOpen: true, noDelay: true });
    this.#keep(onward);
    socket.setNoDelay(true);
    socket.once('error', () => onward.resetAndDestroy());
    onward.once('error', () => socket.resetAndDestroy());
    socket.pipe(onward);
    onward.pipe(socket);
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
