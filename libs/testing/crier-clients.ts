import type { Network } from '#domain/network.ts';

/** An HTTP answer. `body`: parsed when it is JSON, else the text. */
export interface ClientAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The type of a body is known only to the test that reads it.
  readonly body: any;
}

export interface VariantJson {
  readonly id: string;
  readonly channelId: string;
  readonly network: Network;
  readonly status: 'draft' | 'scheduled' | 'publishing' | 'published' | 'failed' | 'cancelled';
  readonly scheduledAt: string | null;
  readonly failureReason: string | null;
  readonly failureDetail: string | null;
  readonly permalink: string | null;
  /** Left out by releases before options by Channel, as is `firstComment`. */
  readonly text?: string | null;
  readonly firstComment?: {
    readonly status: 'waiting' | 'published' | 'failed';
    readonly permalink: string | null;
    readonly detail: string | null;
  } | null;
}

export interface PostJson {
  readonly id: string;
  readonly text: string;
  readonly at: string;
  readonly createdAt: string;
  readonly variants: readonly VariantJson[];
}

export interface ItemJson {
  readonly network: Network;
  readonly accountId: string;
  readonly remoteId: string;
  readonly text: string;
  readonly publishedAt: string;
  readonly permalink: string;
  readonly media: readonly { readonly sha256: string }[];
  readonly title?: string;
  /** What the Network was told, in our names. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly link: { readonly url: string } | null;
  readonly comments: readonly { readonly text: string; readonly permalink: string }[];
}

export interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly withinMs?: number;
}

const PATIENCE_MS = 30_000;

/** Sends one request. `body`: text is sent unchanged, anything else as JSON. Rejects only when no answer comes. */
export async function send(
  method: string,
  url: string,
  body?: unknown,
  { headers = {}, withinMs = PATIENCE_MS }: CallOptions = {},
): Promise<ClientAnswer> {
  const answer = await fetch(url, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    signal: AbortSignal.timeout(withinMs),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = answer.headers.get('content-type')?.includes('json') === true;
  return { status: answer.status, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

/** An answer with which the test can not continue. */
export class UnexpectedAnswer extends Error {
  readonly answer: ClientAnswer;

  constructor(what: string, answer: ClientAnswer) {
    super(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`);
    this.answer = answer;
  }
}

/** The REST API with one key. The named methods reject with `UnexpectedAnswer` unless the call succeeds. */
export class ApiClient {
  readonly #baseUrl: string;
  readonly #apiKey: string;

  constructor(baseUrl: string, apiKey: string) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  send(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<ClientAnswer> {
    return send(method, `${this.#baseUrl}${path}`, body, {
      ...options,
      headers: { authorization: `Bearer ${this.#apiKey}`, ...options.headers },
    });
  }

  async createPost(body: object, options?: CallOptions): Promise<PostJson> {
    return this.#data(201, 'POST', '/api/posts', body, options);
  }

  async getPost(postId: string): Promise<PostJson> {
    return this.#data(200, 'GET', `/api/posts/${postId}`);
  }

  async cancelPost(postId: string): Promise<PostJson> {
    return this.#data(200, 'POST', `/api/posts/${postId}/cancel`);
  }

  async retryVariant(variantId: string): Promise<VariantJson> {
    return this.#data(200, 'POST', `/api/variants/${variantId}/retry`);
  }

  async usage(): Promise<any> {
    return this.#data(200, 'GET', '/api/usage');
  }

  async channels(): Promise<
    readonly {
      readonly id: string;
      readonly network: Network;
      readonly avatarUrl: string | null;
      readonly state: string;
      readonly canPostNow: boolean;
    }[]
  > {
    return this.#data(200, 'GET', '/api/channels');
  }

  /** The Posts of every page, newest written first. */
  async listPosts(filter: Readonly<Record<string, string>> = {}): Promise<readonly PostJson[]> {
    const posts: PostJson[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query = new URLSearchParams({ ...filter, ...(cursor === '' ? {} : { cursor }) });
      const answer = await this.send('GET', `/api/posts?${query}`);
      if (answer.status !== 200) throw new UnexpectedAnswer('GET /api/posts', answer);
      posts.push(...answer.body.data);
      cursor = answer.body.nextCursor;
    }
    return posts;
  }

  async #data(expected: number, method: string, path: string, body?: unknown, options?: CallOptions): Promise<any> {
    const answer = await this.send(method, path, body, options);
    if (answer.status !== expected) throw new UnexpectedAnswer(`${method} ${path}`, answer);
    return answer.body.data;
  }
}

const QUERY = /\.(get|list|count|status)$/;

/** The admin API over HTTP. */
export class AdminClient {
  readonly #adminUrl: string;
  readonly #adminToken: string;

  constructor(adminUrl: string, adminToken: string) {
    this.#adminUrl = adminUrl;
    this.#adminToken = adminToken;
  }

  /** A procedure's output; rejects with `UnexpectedAnswer` when it fails. */
  async call(procedure: string, input: object = {}): Promise<any> {
    const answer = await this.send(procedure, input);
    if (answer.status !== 200) throw new UnexpectedAnswer(procedure, answer);
    return answer.body.result.data;
  }

  send(procedure: string, input: unknown, options: CallOptions = {}): Promise<ClientAnswer> {
    const url = `${this.#adminUrl}/trpc/${procedure}`;
    const headers = { authorization: `Bearer ${this.#adminToken}`, ...options.headers };
    if (QUERY.test(procedure))
      return send('GET', `${url}?input=${encodeURIComponent(JSON.stringify(input))}`, undefined, {
        ...options,
        headers,
      });
    return send('POST', url, input, { ...options, headers });
  }

  advance(milliseconds: number): Promise<unknown> {
    return this.call('clock.advance', { milliseconds });
  }

  get(path: '/metrics' | '/health/live' | '/health/ready'): Promise<ClientAnswer> {
    return send('GET', `${this.#adminUrl}${path}`);
  }

  /** The value of one series, named as the page of metrics names it, with its labels; NaN where there is none. */
  async metric(series: string): Promise<number> {
    const lines = String((await this.get('/metrics')).body).split('\n');
    return Number(lines.find((line) => line.startsWith(`${series} `))?.split(' ')[1] ?? Number.NaN);
  }
}

/** The sandbox's control API. */
export class SandboxClient {
  readonly #sandboxUrl: string;

  constructor(sandboxUrl: string) {
    this.#sandboxUrl = sandboxUrl;
  }

  send(method: string, path: string, body?: unknown, options?: CallOptions): Promise<ClientAnswer> {
    return send(method, `${this.#sandboxUrl}${path}`, body, options);
  }

  /** The items that are live at the Networks: the truth for every check. */
  async items(filter: { readonly network?: Network; readonly accountId?: string } = {}): Promise<readonly ItemJson[]> {
    return (await this.#ok('GET', `/sandbox/items?${new URLSearchParams(filter)}`)).items;
  }

  async calls(
    network: Network,
  ): Promise<readonly { readonly call: string; readonly status: number; readonly at: string }[]> {
    return (await this.#ok('GET', `/sandbox/calls?network=${network}`)).calls;
  }

  async fault(fault: {
    readonly network: Network;
    readonly fault: string;
    readonly call?: string;
    readonly count?: number;
    readonly delayMs?: number;
    readonly reason?: string;
  }): Promise<void> {
    await this.#ok('POST', '/sandbox/faults', fault);
  }

  async clearFaults(): Promise<void> {
    await this.#ok('DELETE', '/sandbox/faults');
  }

  async timing(network: Network, factor: number): Promise<void> {
    await this.#ok('POST', '/sandbox/timing', { network, factor });
  }

  /** Replaces the Network's own limits by these. */
  async limits(network: Network, limits: Readonly<Record<string, number>>): Promise<void> {
    await this.#ok('POST', '/sandbox/limits', { network, limits });
  }

  async app(app: { readonly network: Network; readonly state: string; readonly scopes?: readonly string[] }) {
    await this.#ok('POST', '/sandbox/apps', app);
  }

  async revoke(accountId: string): Promise<void> {
    await this.#ok('POST', `/sandbox/accounts/${accountId}/revoke`);
  }

  async #ok(method: string, path: string, body?: unknown): Promise<any> {
    const answer = await this.send(method, path, body);
    if (answer.status >= 300) throw new UnexpectedAnswer(`${method} ${path}`, answer);
    return answer.body;
  }
}
