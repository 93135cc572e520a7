import Stripe from 'stripe';
import { PortError } from '#ports/errors.ts';
import type { Checkout, CheckoutOrder, PaidSubscription, PaymentNotice, Payments, Sold } from '#ports/payments.ts';

/** What each price of Stripe is of. */
export interface SoldPrice {
  /** Stripe's id of the price. */
  readonly priceId: string;
  readonly sold: Sold;
}

export interface StripePaymentsOptions {
  readonly secretKey: string;
  /** Of the webhook endpoint. */
  readonly webhookSecret: string;
  readonly prices: readonly SoldPrice[];
  /** Where Stripe is; left out: where it is. */
  readonly at?: { readonly host: string; readonly port: number; readonly protocol: 'http' | 'https' };
  readonly timeoutMs?: number;
}

/** Of whatever Stripe names. What has another form, it does not know: neither is it asked, nor can it be. */
const ID = /^\w{1,255}$/;
const TIMEOUT_MS = 8_000;
const SECOND_MS = 1_000;

/** https://docs.stripe.com/api/subscriptions/object#subscription_object-status; a word that it adds counts as good. */
const STATES: Readonly<Record<string, PaidSubscription['state']>> = {
  incomplete: 'begun',
  incomplete_expired: 'ended',
  canceled: 'ended',
  unpaid: 'ended',
  paused: 'ended',
};

/** Payments by Stripe: its Checkout takes them, its Customer portal changes them. */
export function createStripePayments(options: StripePaymentsOptions): Payments {
  const { secretKey, webhookSecret, prices, at = {}, timeoutMs = TIMEOUT_MS } = options;
  const stripe = new Stripe(secretKey, { ...at, timeout: timeoutMs, maxNetworkRetries: 1, telemetry: false });
  const soldBy = (price: string | { readonly id: string } | null | undefined): Sold | null => {
    const id = typeof price === 'string' ? price : price?.id;
    return prices.find(({ priceId }) => priceId === id)?.sold ?? null;
  };
  return {
    async beginCheckout(order) {
      const price = prices.find(({ sold }) => isSame(sold, order.sold));
      if (price === undefined) throw new PortError('refused', 'CRIER_STRIPE_PRICES names no price of it');
      const session = await asked(() => stripe.checkout.sessions.create(sessionOf(order, price.priceId)));
      if (session.url === null) throw new PortError('refused', 'Stripe gave no address of its page');
      return { id: session.id, url: session.url };
    },
    async endCheckout(checkoutId) {
      if (!ID.test(checkoutId)) return null;
      const session = await expired(stripe, checkoutId);
      return session && subscriptionIdOf(session);
    },
    async beginChange(customer, returnUrl) {
      const { url } = await asked(() => stripe.billingPortal.sessions.create({ customer, return_url: returnUrl }));
      return url;
    },
    async readCheckout(checkoutId) {
      if (!ID.test(checkoutId)) return null;
      const session = await found(() => stripe.checkout.sessions.retrieve(checkoutId, { expand: ['line_items'] }));
      return session && checkoutOf(session, soldBy);
    },
    async readSubscription(subscriptionId) {
      if (!ID.test(subscriptionId)) return null;
      const subscription = await found(() => stripe.subscriptions.retrieve(subscriptionId));
      return subscription && subscriptionOf(subscription, soldBy);
    },
    readNotice(body, signature) {
      try {
        return noticeOf(stripe.webhooks.constructEvent(body, signature ?? '', webhookSecret));
      } catch {
        return null;
      }
    },
  };
}

type FindSold = (price: string | { readonly id: string } | null | undefined) => Sold | null;

function sessionOf(order: CheckoutOrder, price: string): Stripe.Checkout.SessionCreateParams {
  const { sold, workspaceId, memberId, email, customerId, paidUrl, cancelledUrl } = order;
  const metadata = { workspaceId, memberId, what: sold.kind === 'plan' ? sold.plan : `credits.${sold.credits}` };
  return {
    mode: sold.kind === 'plan' ? 'subscription' : 'payment',
    line_items: [{ price, quantity: 1 }],
    client_reference_id: workspaceId,
    metadata,
    ...(sold.kind === 'plan' && { subscription_data: { metadata } }),
    ...(customerId === null ? { customer_email: email } : { customer: customerId }),
    success_url: paidUrl.replace('{id}', '{CHECKOUT_SESSION_ID}'),
    cancel_url: cancelledUrl,
  };
}

function checkoutOf(session: Stripe.Checkout.Session, soldBy: FindSold): Checkout {
  const { id, metadata, payment_status, line_items, created } = session;
  return {
    id,
    workspaceId: metadata?.['workspaceId'] ?? null,
    isPaid: payment_status !== 'unpaid',
    sold: (line_items?.data ?? []).flatMap(({ price, quantity }) =>
      Array.from({ length: quantity ?? 1 }, () => soldBy(price)),
    ),
    subscriptionId: subscriptionIdOf(session),
    createdAt: created * SECOND_MS,
  };
}

function subscriptionIdOf({ subscription }: Stripe.Checkout.Session): string | null {
  return typeof subscription === 'string' ? subscription : (subscription?.id ?? null);
}

/**
 * The session, on which nobody can pay any more; null: there is none. Stripe answers with an error where the session
 * has expired or is complete already, so what it is by then is read after an error.
 */
async function expired(stripe: Stripe, sessionId: string): Promise<Stripe.Checkout.Session | null> {
  try {
    return await stripe.checkout.sessions.expire(sessionId);
  } catch (error) {
    const session = await found(() => stripe.checkout.sessions.retrieve(sessionId));
    if (session?.status !== 'open') return session;
    throw new PortError('unavailable', portErrorOf(error).message, { cause: error });
  }
}

function subscriptionOf(subscription: Stripe.Subscription, soldBy: FindSold): PaidSubscription {
  const { id, metadata, customer, status, items, cancel_at, cancel_at_period_end } = subscription;
  const plans = items.data.map(({ price }) => soldBy(price)).filter((sold) => sold?.kind === 'plan');
  const periodEndsAt = Math.max(0, ...items.data.map((item) => item.current_period_end)) * SECOND_MS;
  const endsAt = cancel_at === null ? null : cancel_at * SECOND_MS;
  return {
    id,
    workspaceId: metadata['workspaceId'] ?? null,
    customerId: typeof customer === 'string' ? customer : customer.id,
    state: STATES[status] ?? 'good',
    plan: plans[0]?.plan ?? null,
    periodEndsAt,
    endsAt: endsAt ?? (cancel_at_period_end ? periodEndsAt : null),
  };
}

function noticeOf({ id, type, data }: Stripe.Event): PaymentNotice {
  const { id: about, object } = data.object as { readonly id?: string; readonly object?: string };
  if (about !== undefined && object === 'checkout.session' && type.startsWith('checkout.session.'))
    return { id, about: { kind: 'checkout', checkoutId: about } };
  if (about !== undefined && object === 'subscription' && type.startsWith('customer.subscription.'))
    return { id, about: { kind: 'subscription', subscriptionId: about } };
  return { id, about: null };
}

function isSame(one: Sold, other: Sold): boolean {
  return one.kind === 'plan'
    ? other.kind === 'plan' && one.plan === other.plan
    : other.kind === 'credits' && one.credits === other.credits;
}

async function found<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.statusCode === 404) return null;
    throw portErrorOf(error);
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw portErrorOf(error);
  }
}

/** Stripe's words may repeat what was sent: the message has its code and the request's id, by which it is found there. */
function portErrorOf(error: unknown): PortError {
  if (!(error instanceof Stripe.errors.StripeError)) throw error;
  const { type, code, statusCode, requestId } = error;
  const isRefusal =
    statusCode !== undefined && statusCode >= 400 && statusCode < 500 && ![401, 409, 429].includes(statusCode);
  const words = [type, code, statusCode, requestId].filter((word) => word !== undefined).join(' ');
  return new PortError(isRefusal ? 'refused' : 'unavailable', `Stripe did not do it (${words})`);
}
