import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';

export const WEBHOOK_SECRET = 'whsec_planted';
export const PRICES = [
  { priceId: 'price_pro', sold: { kind: 'plan', plan: 'pro' } },
  { priceId: 'price_agency', sold: { kind: 'plan', plan: 'agency' } },
  { priceId: 'price_100', sold: { kind: 'credits', credits: 100 } },
] as const;

export interface StripeSession {
  id: string;
  mode: string;
  status: 'open' | 'complete' | 'expired';
  created: number;
  payment_status: 'paid' | 'unpaid';
  metadata: Record<string, string>;
  subscription: string | null;
  prices: { id: string; quantity: number }[];
  asked: URLSearchParams | null;
}

export interface StripeSubscription {
  id: string;
  status: string;
  metadata: Record<string, string>;
  customer: string;
  price: string;
  current_period_end: number;
  cancel_at_period_end: boolean;
}

/** Answers as https://docs.stripe.com/api says, of what a test puts into it. */
export class StripeServer {
  readonly sessions = new Map<string, StripeSession>();
  readonly subscriptions = new Map<string, StripeSubscription>();
  readonly portals: URLSearchParams[] = [];
  /** Sessions that are open and yet in no state to be expired. */
  readonly paying = new Set<string>();
  /** The status of every answer; null: the ordinary one. */
  failing: number | null = null;
  /** Awaited before a subscription is answered. */
  beforeSubscription: (() => Promise<void>) | null = null;
  readonly #server = createServer((request, response) => {
    void this.#answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': 'req_1' });
      response.end(JSON.stringify(body));
    });
  });

  static async start(): Promise<StripeServer> {
    const server = new StripeServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  /** What a person does on the page of a session; false: the page says that the session has expired. */
  complete(sessionId: string, came: Partial<Pick<StripeSession, 'payment_status' | 'subscription'>> = {}): boolean {
    const session = this.sessions.get(sessionId)!;
    if (session.status !== 'open') return false;
    Object.assign(session, { status: 'complete', payment_status: 'paid', ...came });
    return true;
  }

  get at() {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port, protocol: 'http' } as const;
  }

  /** A notice as Stripe sends it, and its signature. */
  notice(
    object: { readonly object: string; readonly id: string },
    { id = 'evt_1', type = `${object.object}.updated`, secret = WEBHOOK_SECRET, agoSeconds = 0 } = {},
  ): { readonly body: string; readonly signature: string } {
    const prefix = object.object === 'subscription' ? 'customer.' : '';
    const body = JSON.stringify({ id, object: 'event', type: prefix + type, data: { object } });
    const timestamp = Math.floor(Date.now() / 1000) - agoSeconds;
    const { webhooks } = new Stripe('sk_test_none');
    return { body, signature: webhooks.generateTestHeaderString({ payload: body, secret, timestamp }) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage): Promise<{ readonly status: number; readonly body: unknown }> {
    let sent = '';
    for await (const chunk of request) sent += String(chunk);
    const form = new URLSearchParams(sent);
    const path = new URL(request.url!, 'http://stripe.test').pathname;
    if (this.failing !== null)
      return { status: this.failing, body: { error: { type: 'api_error', message: 'sk_test_planted is not well' } } };
    if (request.method === 'POST' && path === '/v1/checkout/sessions') return ok(this.#begin(form));
    if (request.method === 'POST' && path === '/v1/billing_portal/sessions') {
      this.portals.push(form);
      return ok({ id: 'bps_1', object: 'billing_portal.session', url: 'https://billing.stripe.test/p' });
    }
    const expired = /^\/v1\/checkout\/sessions\/(\w+)\/expire$/.exec(path)?.[1];
    if (request.method === 'POST' && expired !== undefined && this.sessions.has(expired)) return this.#expire(expired);
    const id = path.split('/').at(-1)!;
    const session = path.startsWith('/v1/checkout/sessions/') ? this.sessions.get(id) : undefined;
    if (session !== undefined) return ok(shownSession(session));
    if (path.startsWith('/v1/subscriptions/')) {
      const subscription = this.subscriptions.get(id);
      const shown = subscription && shownSubscription(subscription);
      await this.beforeSubscription?.();
      if (shown !== undefined) return ok(shown);
    }
    return { status: 404, body: { error: { type: 'invalid_request_error', code: 'resource_missing', message: id } } };
  }

  /** https://docs.stripe.com/api/checkout/sessions/expire: only what is open; of all else it "returns an error". */
  #expire(id: string): { readonly status: number; readonly body: unknown } {
    const session = this.sessions.get(id)!;
    if (session.status !== 'open' || this.paying.has(id)) {
      const message = `Only Checkout Sessions with a status in ["open"] can be expired. This one is ${session.status}.`;
      return { status: 400, body: { error: { type: 'invalid_request_error', message } } };
    }
    session.status = 'expired';
    return ok(shownSession(session));
  }

  #begin(asked: URLSearchParams): unknown {
    const id = `cs_test_${this.sessions.size + 1}`;
    const metadata = Object.fromEntries(
      ['workspaceId', 'memberId', 'what'].map((name) => [name, asked.get(`metadata[${name}]`) ?? '']),
    );
    const session: StripeSession = {
      id,
      mode: asked.get('mode')!,
      status: 'open',
      created: Math.floor(Date.now() / 1000),
      payment_status: 'unpaid',
      metadata,
      subscription: null,
      prices: [{ id: asked.get('line_items[0][price]')!, quantity: Number(asked.get('line_items[0][quantity]')) }],
      asked,
    };
    this.sessions.set(id, session);
    return shownSession(session);
  }
}

const ok = (body: unknown) => ({ status: 200, body });

function shownSession({ prices, asked: _, ...session }: StripeSession) {
  const data = prices.map(({ id, quantity }) => ({ object: 'item', quantity, price: { id, object: 'price' } }));
  const url = session.status === 'open' ? `https://checkout.stripe.test/${session.id}` : null;
  return { ...session, url, object: 'checkout.session', line_items: { object: 'list', data } };
}

function shownSubscription({ price, current_period_end, ...subscription }: StripeSubscription) {
  const items = { object: 'list', data: [{ id: 'si_1', price: { id: price, object: 'price' }, current_period_end }] };
  return { ...subscription, object: 'subscription', cancel_at: null, items };
}
