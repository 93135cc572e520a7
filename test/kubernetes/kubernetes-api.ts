import { Agent, request, type RequestOptions } from 'node:https';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/** Any object of Kubernetes: tests look at what they know. */
export interface ClusterObject {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly spec?: any;
  readonly status?: any;
  readonly data?: Readonly<Record<string, string>>;
  readonly [field: string]: any;
}

/** What the API server said that is no success. */
export class KubernetesRefusal extends Error {
  readonly status: number;

  constructor(what: string, status: number, text: string) {
    super(`${what}: ${status} ${text.slice(0, 800)}`);
    this.status = status;
  }
}

export interface ApiAddress {
  readonly port: number;
  readonly token: string;
  /** PEM of what the server shows, which has signed itself. */
  readonly certificate: string;
}

const RELIST_MS = 500;

/** The REST API of Kubernetes with one token. */
export class KubernetesApi {
  readonly #options: RequestOptions;

  constructor({ port, token, certificate }: ApiAddress) {
    this.#options = {
      host: '127.0.0.1',
      servername: 'localhost',
      port,
      ca: certificate,
      agent: new Agent({ keepAlive: true }),
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    };
  }

  get(path: string): Promise<ClusterObject> {
    return this.#call('GET', path);
  }

  async list(path: string): Promise<readonly ClusterObject[]> {
    return (await this.#call('GET', path)).items;
  }

  create(path: string, body: object): Promise<ClusterObject> {
    return this.#call('POST', path, body);
  }

  /** JSON merge patch: a field of null is removed, a list is replaced. */
  patch(path: string, body: object): Promise<ClusterObject> {
    return this.#call('PATCH', path, body, 'application/merge-patch+json');
  }

  /** Also of what is no longer there. */
  async delete(path: string, options: object = {}): Promise<void> {
    await this.#call('DELETE', path, options).catch((error: unknown) => {
      if (!(error instanceof KubernetesRefusal && (error.status === 404 || error.status === 409))) throw error;
    });
  }

  /**
   * Calls `onChange` with all objects at the path, by `namespace/name`, now and whenever one of them changes, until the
   * signal. A lost watch begins again with a list.
   */
  async follow(
    path: string,
    onChange: (objects: ReadonlyMap<string, ClusterObject>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      try {
        const listed = await this.#call('GET', path);
        const objects = new Map<string, ClusterObject>(listed.items.map((one: ClusterObject) => [keyOf(one), one]));
        onChange(objects);
        await this.#watch(path, listed.metadata.resourceVersion, signal, ({ type, object }) => {
          if (type === 'BOOKMARK') return;
          if (type === 'DELETED') objects.delete(keyOf(object));
          else objects.set(keyOf(object), object);
          onChange(objects);
        });
      } catch (error) {
        if (!signal.aborted && !(error instanceof Error)) throw error;
      }
      if (!signal.aborted) await sleep(RELIST_MS);
    }
  }

  #watch(
    path: string,
    since: string,
    signal: AbortSignal,
    onEvent: (event: { readonly type: string; readonly object: ClusterObject }) => void,
  ): Promise<void> {
    return new Promise((done, reject) => {
      const asked = request(
        { ...this.#options, path: `${path}?watch=1&resourceVersion=${since}`, signal },
        (answer) => {
          answer.on('error', reject);
          if (answer.statusCode !== 200) {
            answer.resume();
            return reject(new Error(`watch of ${path}: ${answer.statusCode}`));
          }
          const lines = createInterface({ input: answer, crlfDelay: Infinity });
          lines.on('line', (line) => {
            const event = JSON.parse(line) as { readonly type: string; readonly object: ClusterObject };
            // The server no longer knows the version that was asked from: the list is read anew.
            if (event.type === 'ERROR') asked.destroy();
            else onEvent(event);
          });
          // It repeats what its input says, and an error that nothing listens to would end the process.
          lines.on('error', reject);
          lines.once('close', done);
        },
      );
      asked.on('error', reject);
      asked.end();
    });
  }

  #call(method: string, path: string, body?: object, contentType = 'application/json'): Promise<any> {
    return new Promise((done, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      // Node says no length for the body of a DELETE by itself, and the server would take it for the next request.
      const told = { 'content-type': contentType, 'content-length': Buffer.byteLength(text) };
      const headers = { ...this.#options.headers, ...(body !== undefined && told) };
      const asked = request({ ...this.#options, method, path, headers }, (answer) => {
        let said = '';
        answer.setEncoding('utf8').on('data', (piece: string) => (said += piece));
        answer.once('error', reject);
        answer.once('end', () => {
          const status = answer.statusCode ?? 0;
          if (status >= 300) return reject(new KubernetesRefusal(`${method} ${path}`, status, said));
          // Only what is about the server's health is plain text.
          done(said.startsWith('{') ? JSON.parse(said) : said);
        });
      });
      asked.once('error', reject);
      asked.end(text);
    });
  }
}

export function keyOf({ metadata }: ClusterObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}
