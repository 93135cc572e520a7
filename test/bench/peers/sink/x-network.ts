import type { Arrivals } from './arrivals.ts';

export interface XRequest {
  readonly method: string;
  /** Begins after the address of the Network. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
  readonly body: string;
  /** When it arrived. */
  readonly at: number;
}

/** What X answers, as far as Crier asks it for text-only Posts. A repeat is taken, and thereby seen. */
export interface XAnswer {
  readonly status: number;
  readonly body: object;
  readonly location?: string;
  /** Of the call that publishes: it takes as long as the other peers' calls. */
  readonly slow?: boolean;
}

const SCOPES = 'tweet.read tweet.write users.read media.write offline.access';
const TOKEN_SECONDS = 86_400;
const FIRST_ID = 1_900_000_000_000_000_000n;

interface Listed {
  readonly id: string;
  readonly text: string;
  readonly at: number;
}

export class XNetwork {
  readonly #arrivals: Arrivals;
  /** Names by account id, and accounts by the code that a sign-in gave. */
  readonly #names = new Map<string, string>();
  readonly #codes = new Map<string, string>();
  readonly #timelines = new Map<string, Listed[]>();
  #posts = 0n;

  constructor(arrivals: Arrivals) {
    this.#arrivals = arrivals;
  }

  /** Null: nothing is there. */
  answer({ method, path, query, authorization, body, at }: XRequest): XAnswer | null {
    const account = /^Bearer access-(\d+)$/.exec(authorization)?.[1] ?? null;
    if (path === '/i/oauth2/authorize') return this.#authorize(query);
    if (path === '/2/oauth2/token') return this.#token(new URLSearchParams(body));
    if (account === null) return { status: 401, body: { title: 'Unauthorized' } };
    if (method === 'POST' && path === '/2/tweets')
      return this.#publish(account, (JSON.parse(body) as { readonly text: string }).text, at);
    if (path === '/2/users/me') return { status: 200, body: { data: this.#profileOf(account) } };
    const listed = /^\/2\/users\/(\d+)\/tweets$/.exec(path)?.[1];
    return listed === undefined ? null : this.#timeline(listed, query);
  }

  #authorize(query: URLSearchParams): XAnswer {
    const [account, code] = [`${1_000 + this.#names.size}`, `code-${this.#codes.size}`];
    this.#names.set(account, query.get('account_name') ?? account);
    this.#codes.set(code, account);
    const back = new URL(query.get('redirect_uri')!);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state')!);
    return { status: 302, body: {}, location: back.href };
  }

  #token(form: URLSearchParams): XAnswer {
    const account = /^refresh-(\d+)$/.exec(form.get('refresh_token') ?? '')?.[1] ?? this.#codes.get(form.get('code')!);
    if (account === undefined) return { status: 400, body: { error: 'invalid_request' } };
    const tokens = { access_token: `access-${account}`, refresh_token: `refresh-${account}` };
    return { status: 200, body: { token_type: 'bearer', expires_in: TOKEN_SECONDS, scope: SCOPES, ...tokens } };
  }

  #profileOf(account: string): object {
    return { id: account, username: `sink${account}`, name: this.#names.get(account), subscription_type: 'None' };
  }

  #publish(account: string, text: string, at: number): XAnswer {
    const id = `${FIRST_ID + this.#posts++}`;
    this.#arrivals.add(text, account, at);
    const timeline = this.#timelines.get(account) ?? [];
    this.#timelines.set(account, [...timeline.slice(-1_000), { id, text, at }]);
    return { status: 201, body: { data: { id, text, edit_history_tweet_ids: [id] } }, slow: true };
  }

  /** Newest first: Crier looks here for a call whose answer it does not know. */
  #timeline(account: string, query: URLSearchParams): XAnswer {
    const since = Date.parse(query.get('start_time') ?? '') || 0;
    const before = BigInt(query.get('pagination_token') ?? FIRST_ID * 2n);
    const most = Number(query.get('max_results') ?? 10);
    const all = (this.#timelines.get(account) ?? []).filter(({ id, at }) => at >= since && BigInt(id) < before);
    const page = all.toReversed().slice(0, most);
    const data = page.map(({ id, text, at }) => ({ id, text, created_at: new Date(at).toISOString() }));
    const next = all.length > page.length ? { next_token: page.at(-1)!.id } : {};
    return { status: 200, body: { data, meta: { result_count: page.length, ...next } } };
  }
}
