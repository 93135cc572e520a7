import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import Stripe from 'stripe';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { createStripePayments } from '#adapters/stripe/payments.ts';
import { PRICES, StripeServer, WEBHOOK_SECRET } from '#adapters/stripe/stripe-server.fixture.ts';
import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { createFrontApp } from '#http-server/front-door.ts';
import { Billing } from '#services/app/billing/billing.ts';
import { addBillingEndpoint } from '#services/app/billing/endpoint.ts';
import { createSubscriptionRows } from '#tables/repositories/subscriptions.ts';
import { aWorkspace, type Scenario } from '#testing/scenario.ts';
import { answeredInTime, assertNoFault } from '../answers.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedBody, mutatedText } from '../mutations.ts';

interface SentNotice {
  readonly body: string;
  /** Of these very bytes by Stripe's secret; or a text in place of that, for which `{}` stands. */
  readonly signature: 'right' | string;
}

const PUBLIC_URL = 'https://crier.test';
/** Of a body: of a larger one the connection is ended, which a client may see before its answer. */
const MOST_BYTES = 64 * 1_024;
const CREDITS = { before: 10, paid: 100 } as const;
const { webhooks } = new Stripe('sk_test_none');

/** As Stripe signs a text now. */
function signed(payload: string): string {
  return webhooks.generateTestHeaderString({ payload, secret: WEBHOOK_SECRET });
}

async function openBilling() {
  const stripe = await StripeServer.start();
  const scenario = aWorkspace({ plan: 'free', credits: CREDITS.before });
  scenario.now = Date.now();
  const reporter = createMemoryReporter();
  const at = { secretKey: 'sk_test_planted', webhookSecret: WEBHOOK_SECRET, prices: PRICES, at: stripe.at };
  const payments = createStripePayments(at);
  const sendCommand: SendOperatorCommand = async (_workspaceId, command) =>
    scenario.tell(command as Parameters<Scenario['tell']>[0]).result!;
  const billing = new Billing({
    ...{ payments, sendCommand, reporter, publicUrl: PUBLIC_URL, clock: { now: () => scenario.now } },
    subscriptions: createSubscriptionRows(createMemoryTableStore(), createSeededIds(1)),
    workspace: async () => scenario.workspace,
    offers: PRICES.map(({ sold }) => sold),
  });
  const [memberId = ''] = Object.keys(scenario.workspace.members);
  const paid = await billing.buyCredits(
    { workspaceId: scenario.id, memberId, email: 'ada@example.test' },
    CREDITS.paid,
  );
  const checkoutId = paid!.split('/').at(-1)!;
  stripe.sessions.get(checkoutId)!.payment_status = 'paid';
  const app = createFrontApp({ trustedProxies: [] });
  let settled = 0;
  const counted = {
    settle: (...notice: Parameters<Billing['settle']>) => ((settled += 1), billing.settle(...notice)),
    settleCheckout: (id: string) => billing.settleCheckout(id),
  };
  addBillingEndpoint(app, { billing: counted, payments, reporter, publicUrl: PUBLIC_URL });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/billing/stripe`;
  return {
    ...{ scenario, reporter, checkoutId, url },
    settled: () => settled,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await stripe[Symbol.asyncDispose]();
    },
  };
}

export const paymentNotices = fuzzTarget<SentNotice>({
  name: 'payment-notices',
  holds:
    'a notice that Stripe did not sign as it stands asks for nothing, and one that it signed is answered and gives what was paid',
  cases: 300,
  open: async () => {
    const { scenario, reporter, checkoutId, url, settled, close } = await openBilling();
    const about = { id: checkoutId, object: 'checkout.session', metadata: { workspaceId: scenario.id } };
    const notice = { id: 'evt_1', object: 'event', type: 'checkout.session.completed', data: { object: about } };
    const subscription = {
      ...notice,
      type: 'customer.subscription.updated',
      data: { object: { id: 'sub_1', object: 'subscription' } },
    };
    const bodies = fc.constantFrom<unknown>(notice, subscription);
    const text = JSON.stringify(notice);
    return {
      inputs: fc.record({
        body: fc.oneof(
          {
            weight: 6,
            arbitrary: mutatedBody(bodies).filter((each) => Buffer.byteLength(each) <= MOST_BYTES),
          },
          { weight: 1, arbitrary: fc.constant(text) },
        ),
        signature: fc.oneof(
          { weight: 4, arbitrary: fc.constant('right') },
          { weight: 2, arbitrary: fc.constant(signed(text)) },
          { weight: 3, arbitrary: mutatedText(fc.constant(signed(text))) },
        ),
      }),
      crashes: {
        'an id that no address can hold': {
          body: JSON.stringify({ ...notice, data: { object: { ...about, id: 'cs_\ud800' } } }),
          signature: 'right',
        },
      },
      sizeOf: ({ body }) => body.length,
      allowedMs: 150,
      check: async ({ body, signature }) => {
        const bytes = Buffer.from(body);
        const sent = signature === 'right' ? signed(bytes.toString()) : inHeader(signature);
        const before = settled();
        const answer = await answeredInTime(
          fetch(url, { method: 'POST', body: bytes, headers: { 'Stripe-Signature': sent } }),
        );
        await answer.arrayBuffer();
        assert([200, 400].includes(answer.status), `it was answered by ${answer.status}`);
        const isSigned = signature === 'right' || (body === text && holdsSignature(sent, text));
        if (!isSigned) assert.equal(settled(), before, 'a notice that was not signed asked for something');
        const { available } = scenario.workspace.xCredits;
        assert([CREDITS.before, CREDITS.before + CREDITS.paid].includes(available), `it gave ${available} credits`);
        assert.equal(scenario.workspace.plan, 'free', 'nobody paid for a Plan');
        assertNoFault(reporter);
      },
      close,
    };
  },
});

/** What fetch takes as a header. */
function inHeader(text: string): string {
  return text
    .replace(/[^\x20-\x7e]/g, '')
    .trim()
    .slice(0, 4_000);
}

/** Whether one of the signatures in the header is that of the text, with the instant that it was made for. */
function holdsSignature(header: string, text: string): boolean {
  try {
    webhooks.constructEvent(text, header, WEBHOOK_SECRET);
    return true;
  } catch {
    return false;
  }
}
