import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMemoryReporter, type MemoryReporter } from '#adapters/memory/reporter.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createStripePayments } from '#adapters/stripe/payments.ts';
import { PRICES, StripeServer, WEBHOOK_SECRET } from '#adapters/stripe/stripe-server.fixture.ts';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { createFrontApp } from '#http-server/front-door.ts';
import { createSubscriptionRows } from '#tables/repositories/subscriptions.ts';
import { twoMemoryStores, twoSqliteStores } from '#tables/repositories/two-stores.fixture.ts';
import { aWorkspace, DAY, type Scenario } from '#testing/scenario.ts';
import { Billing } from './billing.ts';
import { addBillingEndpoint } from './endpoint.ts';

const PUBLIC_URL = 'https://crier.test';
const MONTH_END = Math.floor(Date.now() / 1000) + 30 * 86_400;

/** Two replicas of the app over one store, with a Workspace of the Plan free and 10 credits. */
async function open(stores: Awaited<ReturnType<typeof twoMemoryStores>>, stripe: StripeServer) {
  const scenario = aWorkspace({ plan: 'free', credits: 10 });
  scenario.now = Date.now();
  const reporter = createMemoryReporter();
  const state = {
    away: false,
    beforeCommand: null as ((type: string) => Promise<void>) | null,
    beforeRow: null as (() => Promise<void>) | null,
    beforeWrite: null as (() => Promise<void>) | null,
  };
  const sendCommand: SendOperatorCommand = async (_workspaceId, command) => {
    await state.beforeCommand?.(command.type);
    if (state.away) return { ok: false, code: 'outcome_unknown', message: 'away' };
    return scenario.tell(command as Parameters<Scenario['tell']>[0]).result!;
  };
  const payments = createStripePayments({
    secretKey: 'sk_test_planted',
    webhookSecret: WEBHOOK_SECRET,
    prices: PRICES,
    at: stripe.at,
  });
  const replicas = stores.stores.map((store, index) => {
    const rows = createSubscriptionRows(store, createSeededIds(index));
    const read: typeof rows.read = async (workspaceId) => {
      await state.beforeRow?.();
      return rows.read(workspaceId);
    };
    const write: typeof rows.write = async (...row) => {
      await state.beforeWrite?.();
      return rows.write(...row);
    };
    const billing = new Billing({
      payments,
      subscriptions: { read, write },
      workspace: async () => scenario.workspace,
      sendCommand,
      clock: { now: () => scenario.now },
      reporter,
      publicUrl: PUBLIC_URL,
      offers: PRICES.map(({ sold }) => sold),
    });
    return billing;
  });
  const app = createFrontApp({ trustedProxies: [] });
  addBillingEndpoint(app, { billing: replicas[0]!, payments, reporter, publicUrl: PUBLIC_URL });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [memberId] = Object.keys(scenario.workspace.members);
  return {
    scenario,
    reporter,
    state,
    replicas: replicas as [Billing, Billing],
    payer: { workspaceId: scenario.id, memberId: memberId!, email: 'ada@example.com' },
    send: async ({ body, signature }: { readonly body: string; readonly signature: string }) =>
      (await fetch(`${at}/billing/stripe`, { method: 'POST', body, headers: { 'Stripe-Signature': signature } }))
        .status,
    come: (path: string) => fetch(at + path, { redirect: 'manual' }),
    close: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

describe.each([
  ['memory', twoMemoryStores],
  ['SQLite', twoSqliteStores],
])('billing by Stripe over %s', (_, makeStores) => {
  let stripe: StripeServer;
  let world: Awaited<ReturnType<typeof open>>;
  let stores: Awaited<ReturnType<typeof makeStores>>;
  let reporter: MemoryReporter;
  beforeEach(async () => {
    stripe = await StripeServer.start();
    stores = await makeStores();
    world = await open(stores, stripe);
    ({ reporter } = world);
  });
  afterEach(async () => {
    await world.close();
    await stores.close();
    await stripe[Symbol.asyncDispose]();
  });

  const credits = () => world.scenario.workspace.xCredits.available;
  const plan = () => world.scenario.workspace.plan;
  const about = (id: string) => ({ object: id.startsWith('sub_') ? 'subscription' : 'checkout.session', id });
  const told = (id: string, more: Parameters<StripeServer['notice']>[1] = {}) =>
    world.send(stripe.notice(about(id), more));
  const paidCredits = async (): Promise<string> => {
    const url = await world.replicas[0].buyCredits(world.payer, 100);
    const id = url!.split('/').at(-1)!;
    stripe.sessions.get(id)!.payment_status = 'paid';
    return id;
  };
  const subscribed = (id: string, price: string, status = 'active'): void =>
    void stripe.subscriptions.set(id, {
      id,
      status,
      metadata: { workspaceId: world.scenario.id },
      customer: 'cus_1',
      price,
      current_period_end: MONTH_END,
      cancel_at_period_end: false,
    });

  test('Checkout is begun with what is bought, for whom, and where to come back to', async () => {
    expect(await world.replicas[0].buyCredits(world.payer, 100)).toBe('https://checkout.stripe.test/cs_test_1');
    const asked = Object.fromEntries(stripe.sessions.get('cs_test_1')!.asked!);
    expect(asked).toMatchObject({
      mode: 'payment',
      client_reference_id: world.scenario.id,
      customer_email: 'ada@example.com',
      'line_items[0][price]': 'price_100',
      'line_items[0][quantity]': '1',
      'metadata[workspaceId]': world.scenario.id,
      'metadata[memberId]': world.payer.memberId,
      'metadata[what]': 'credits.100',
      success_url: `${PUBLIC_URL}/billing/return/{CHECKOUT_SESSION_ID}`,
    });
    await world.replicas[0].changePlan(world.payer, 'pro');
    expect(Object.fromEntries(stripe.sessions.get('cs_test_2')!.asked!)).toMatchObject({
      mode: 'subscription',
      'subscription_data[metadata][workspaceId]': world.scenario.id,
    });
    expect(await world.replicas[0].buyCredits(world.payer, 99)).toBeNull();
    expect(await world.replicas[0].changePlan(world.payer, 'free')).toBeNull();
  });

  test('credits are added once, however often it is reported, on whichever replica, and however late', async () => {
    const id = await paidCredits();
    const more = { type: 'checkout.session.completed' };
    expect(await told(id, more)).toBe(200);
    expect(await told(id, more)).toBe(200);
    expect(await told(id, { ...more, id: 'evt_2' })).toBe(200);
    await Promise.all(world.replicas.map((billing) => billing.settleCheckout(id)));
    world.scenario.now += 20 * DAY;
    expect(await told(id, more)).toBe(200);
    world.scenario.now += 400 * DAY;
    const other = await paidCredits();
    stripe.sessions.get(other)!.created = world.scenario.now / 1000;
    expect(await told(other, more)).toBe(200);
    expect(await told(id, more)).toBe(200);
    expect(credits()).toBe(210);
  });

  test('nothing is given for a checkout that is not paid, and what it came to when it is', async () => {
    const id = await paidCredits();
    stripe.sessions.get(id)!.payment_status = 'unpaid';
    expect(await told(id, { type: 'checkout.session.completed' })).toBe(200);
    expect(credits()).toBe(10);
    stripe.sessions.get(id)!.payment_status = 'paid';
    expect(await told(id, { type: 'checkout.session.async_payment_succeeded' })).toBe(200);
    expect(credits()).toBe(110);
  });

  test('a lost notice costs nothing: coming back from paying does the same', async () => {
    const id = await paidCredits();
    const back = await world.come(`/billing/return/${id}`);
    expect([back.status, back.headers.get('location')]).toEqual([
      303,
      `${PUBLIC_URL}/app/usage?workspace=${world.scenario.id}`,
    ]);
    expect(credits()).toBe(110);
    stripe.failing = 500;
    expect((await world.come(`/billing/return/${id}`)).headers.get('location')).toBe(`${PUBLIC_URL}/app/usage`);
    stripe.failing = null;
    expect((await world.come('/billing/return/cs_of_nobody')).headers.get('location')).toBe(`${PUBLIC_URL}/app/usage`);
    expect(credits()).toBe(110);
  });

  test.each([
    ['by another secret', { secret: 'whsec_another' }],
    ['ten minutes ago', { agoSeconds: 600 }],
  ])('a notice that was signed %s is refused, and nothing is read', async (_why, signed) => {
    const id = await paidCredits();
    expect(await told(id, { type: 'checkout.session.completed', ...signed })).toBe(400);
    expect(credits()).toBe(10);
    expect(reporter.events.map(({ event }) => event)).toContain('payment-notice-forged');
  });

  test('a notice whose body was changed, or that is not signed, is refused', async () => {
    const id = await paidCredits();
    const { body, signature } = stripe.notice(about(id), { type: 'checkout.session.completed' });
    expect(await world.send({ body: body.replace('evt_1', 'evt_2'), signature })).toBe(400);
    expect(await world.send({ body, signature: '' })).toBe(400);
    expect(await world.send({ body: 'x'.repeat(70_000), signature })).toBe(413);
    expect(credits()).toBe(10);
  });

  test('what was paid decides, not what was asked for: a price that is not sold here gives nothing, and is reported', async () => {
    const id = await paidCredits();
    stripe.sessions.get(id)!.prices = [{ id: 'price_of_a_mug', quantity: 1 }];
    expect(await told(id, { type: 'checkout.session.completed' })).toBe(200);
    expect(credits()).toBe(10);
    expect(reporter.events).toContainEqual(expect.objectContaining({ event: 'payment-not-sold' }));
    const two = await paidCredits();
    stripe.sessions.get(two)!.prices = [{ id: 'price_100', quantity: 2 }];
    expect(await told(two, { type: 'checkout.session.completed' })).toBe(200);
    expect(credits()).toBe(210);
  });

  test('what can not be done is asked for again: Stripe away, the Workspace away', async () => {
    const id = await paidCredits();
    const more = { type: 'checkout.session.completed' };
    stripe.failing = 500;
    expect(await told(id, more)).toBe(503);
    stripe.failing = null;
    world.state.away = true;
    expect(await told(id, more)).toBe(503);
    world.state.away = false;
    expect(await told(id, more)).toBe(200);
    expect(credits()).toBe(110);
    expect(JSON.stringify(reporter.failures())).not.toContain('planted');
  });

  test('a subscription brings its Plan at once, and one that ended leaves it until its period ends', async () => {
    subscribed('sub_1', 'price_pro', 'incomplete');
    await told('sub_1', { type: 'subscription.created' });
    expect(plan()).toBe('free');
    stripe.subscriptions.get('sub_1')!.status = 'active';
    await told('sub_1');
    expect(plan()).toBe('pro');
    stripe.subscriptions.get('sub_1')!.price = 'price_agency';
    await told('sub_1');
    expect(plan()).toBe('agency');
    stripe.subscriptions.get('sub_1')!.status = 'past_due';
    await told('sub_1');
    expect([plan(), world.scenario.workspace.comingPlan]).toEqual(['agency', null]);
    stripe.subscriptions.get('sub_1')!.status = 'unpaid';
    await told('sub_1');
    const ending = { plan: 'free', effectiveAt: MONTH_END * 1000 };
    expect([plan(), world.scenario.workspace.comingPlan]).toEqual(['agency', ending]);
    stripe.subscriptions.get('sub_1')!.status = 'active';
    await told('sub_1');
    expect([plan(), world.scenario.workspace.comingPlan]).toEqual(['agency', null]);
    stripe.subscriptions.get('sub_1')!.cancel_at_period_end = true;
    await told('sub_1');
    await told('sub_1');
    expect([plan(), world.scenario.workspace.comingPlan]).toEqual(['agency', ending]);
    expect(world.scenario.timers.filter(({ at }) => at === MONTH_END * 1000)).toHaveLength(2);
  });

  test('notices that overtake each other end in what holds at Stripe', async () => {
    subscribed('sub_1', 'price_pro');
    await told('sub_1', { id: 'evt_updated' });
    Object.assign(stripe.subscriptions.get('sub_1')!, { status: 'canceled', current_period_end: 1 });
    await told('sub_1', { id: 'evt_deleted', type: 'subscription.deleted' });
    expect(plan()).toBe('free');
    // Stripe sends an old one again.
    await told('sub_1', { id: 'evt_created', type: 'subscription.created' });
    expect(plan()).toBe('free');
  });

  test.each([
    ['the one that read before the other wrote', 'beforeCommand'],
    ['the one that read at Stripe before the other did, and the row after it,', 'beforeRow'],
  ] as const)('of two replicas that were told at once, %s does not have the last word', async (_name, step) => {
    subscribed('sub_1', 'price_pro');
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    world.state[step] = async () => {
      world.state[step] = null;
      held();
      await mayGoOn;
    };
    const [first, second] = world.replicas;
    const notice = { id: 'evt', about: { kind: 'subscription', subscriptionId: 'sub_1' } } as const;
    const slow = first.settle(notice);
    await isHeld;
    Object.assign(stripe.subscriptions.get('sub_1')!, { status: 'canceled', current_period_end: 1 });
    await second.settle(notice);
    goOn();
    await slow;
    expect(plan()).toBe('free');
  });

  test('an old subscription that ends takes nothing from the one that followed it', async () => {
    subscribed('sub_1', 'price_pro');
    await told('sub_1');
    subscribed('sub_2', 'price_agency');
    await told('sub_2');
    stripe.subscriptions.get('sub_1')!.status = 'canceled';
    await told('sub_1', { type: 'subscription.deleted' });
    expect([plan(), world.scenario.workspace.comingPlan]).toEqual(['agency', null]);
  });

  test('who pays already changes that, instead of paying twice', async () => {
    subscribed('sub_1', 'price_pro');
    await told('sub_1');
    expect(await world.replicas[1].changePlan(world.payer, 'agency')).toBe('https://billing.stripe.test/p');
    expect(stripe.portals[0]!.get('customer')).toBe('cus_1');
    stripe.subscriptions.get('sub_1')!.status = 'canceled';
    await world.replicas[1].changePlan(world.payer, 'agency');
    expect(stripe.sessions.get('cs_test_1')!.asked!.get('customer')).toBe('cus_1');
  });

  const takePlan = async (name: 'pro' | 'agency', replica: 0 | 1 = 0): Promise<string> =>
    (await world.replicas[replica].changePlan(world.payer, name))!.split('/').at(-1)!;
  const openPages = () => [...stripe.sessions.values()].filter(({ status }) => status === 'open').map(({ id }) => id);

  test('of several Checkouts of a Plan that were opened before one was paid only the newest can be paid', async () => {
    const credits = await world.replicas[0].buyCredits(world.payer, 100);
    const pages = [await takePlan('pro'), await takePlan('agency', 1), await takePlan('pro')];
    expect(pages.map((page) => stripe.complete(page))).toEqual([false, false, true]);
    expect(openPages()).toEqual([credits!.split('/').at(-1)]);
  });

  test('of two requests for a Plan at once, the one whose row comes second ends the page of the first', async () => {
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    world.state.beforeWrite = async () => {
      world.state.beforeWrite = null;
      held();
      await mayGoOn;
    };
    const slow = takePlan('pro');
    await Promise.race([isHeld, slow]);
    const quick = await takePlan('agency', 1);
    expect(openPages()).toEqual(['cs_test_1', quick]);
    goOn();
    const page = await slow;
    expect(openPages()).toEqual([page]);
    expect([stripe.complete(quick), stripe.complete(page)]).toEqual([false, true]);
  });

  test('however often requests for a Plan overtake each other, one page at most is left, or they are put off', async () => {
    const asked = Array.from({ length: 8 }, (_each, index) => takePlan('pro', (index % 2) as 0 | 1));
    const ends = await Promise.allSettled(asked);
    const pages = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
    const refusals = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(pages.filter((page) => stripe.sessions.get(page)!.status === 'open')).toHaveLength(1);
    expect(openPages()).toHaveLength(1);
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ kind: 'unavailable' })));
  });

  test('requests for a Plan that are overtaken ever again end, and leave no page that nobody was given', async () => {
    const other = createSubscriptionRows(stores.stores[1], createSeededIds(7));
    world.state.beforeWrite = async () => {
      const { version } = await other.read(world.scenario.id);
      await other.write(world.scenario.id, version, { subscriptionId: null, customerId: null });
    };
    await expect(takePlan('pro')).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    expect([stripe.sessions.size, openPages()]).toEqual([5, []]);
  });

  test.each([
    ['paid', 'paid', 'active', 'pro'],
    ['completed, with a payment that takes days and counts until then,', 'unpaid', 'active', 'pro'],
    ['completed, with a payment that is awaited,', 'unpaid', 'incomplete', 'free'],
  ] as const)(
    'a Checkout of a Plan that was %s is changed, not followed by a second',
    async (_name, payment_status, status, given) => {
      const page = await takePlan('pro');
      subscribed('sub_1', 'price_pro', status);
      expect(stripe.complete(page, { payment_status, subscription: 'sub_1' })).toBe(true);
      // No notice has come yet.
      expect(await world.replicas[1].changePlan(world.payer, 'agency')).toBe('https://billing.stripe.test/p');
      expect([plan(), stripe.sessions.size, stripe.portals[0]!.get('customer')]).toEqual([given, 1, 'cus_1']);
    },
  );

  test.each([
    ['expired of itself', () => void (stripe.sessions.get('cs_test_1')!.status = 'expired')],
    ['is not there any more', () => void stripe.sessions.delete('cs_test_1')],
    [
      'came to a payment that failed later',
      () => {
        subscribed('sub_1', 'price_pro', 'incomplete_expired');
        stripe.complete('cs_test_1', { payment_status: 'unpaid', subscription: 'sub_1' });
      },
    ],
  ])('a Checkout of a Plan that %s is followed by another', async (_name, happened) => {
    expect(await takePlan('pro')).toBe('cs_test_1');
    happened();
    const next = await takePlan('pro');
    expect(stripe.sessions.get(next)).toMatchObject({ mode: 'subscription', status: 'open' });
  });

  test('what is told of an older subscription leaves the Checkout known that is open', async () => {
    subscribed('sub_1', 'price_pro', 'canceled');
    await told('sub_1');
    const page = await takePlan('pro');
    expect(stripe.sessions.get(page)!.asked!.get('customer')).toBe('cus_1');
    await told('sub_1');
    await takePlan('pro');
    expect(stripe.complete(page)).toBe(false);
  });

  test.each([
    ['can not be asked to end the first', () => void (stripe.failing = 500), () => void (stripe.failing = null)],
    [
      'does not end the first, on which a payment is being made',
      () => void stripe.paying.add('cs_test_1'),
      () => stripe.paying.clear(),
    ],
  ])('no second Checkout of a Plan is handed out while Stripe %s', async (_name, begin, end) => {
    await takePlan('pro');
    begin();
    await expect(takePlan('agency')).rejects.toMatchObject({ name: 'PortError', kind: 'unavailable' });
    expect(openPages()).toEqual(['cs_test_1']);
    end();
    expect(await takePlan('agency')).toBe('cs_test_2');
    expect(openPages()).toEqual(['cs_test_2']);
  });

  test.each(['cs_\ud800', '..', '', 'a'.repeat(5_000)])(
    'an id that Stripe gives to nothing is not asked for: %j',
    async (id) => {
      stripe.failing = 500;
      expect(await told(id)).toBe(200);
      if (id.isWellFormed() && id.length > 2)
        expect((await world.come(`/billing/return/${encodeURIComponent(id)}`)).headers.get('location')).toBe(
          `${PUBLIC_URL}/app/usage`,
        );
      expect(reporter.failures()).toEqual([]);
    },
  );

  test('notices of other things, and of what was not begun here, change nothing', async () => {
    expect(await world.send(stripe.notice({ object: 'invoice', id: 'in_1' }))).toBe(200);
    expect(await told('sub_of_nobody')).toBe(200);
    subscribed('sub_1', 'price_pro');
    stripe.subscriptions.get('sub_1')!.metadata = {};
    expect(await told('sub_1')).toBe(200);
    expect(plan()).toBe('free');
  });
});
