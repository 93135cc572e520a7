import { stripePricesOf } from '#config/stripe-prices.ts';
import type { Payments } from '#ports/payments.ts';
import { Billing, type BillingOptions } from '#services/app/billing/billing.ts';
import { createSubscriptionRows } from '#tables/repositories/subscriptions.ts';
import { readHead } from '#tables/repositories/workspaces.ts';
import type { ProcessCore } from './process-core.ts';

export interface PaidBilling {
  readonly billing: Billing;
  readonly payments: Payments;
}

/** Null where nothing is paid. Then the library is not loaded either, which would slow the start down. */
export async function createPaidBilling(
  { config, ports, addresses }: ProcessCore,
  { sendCommand }: Pick<BillingOptions, 'sendCommand'>,
): Promise<PaidBilling | null> {
  const { billing, stripeSecretKey, stripeWebhookSecret, stripePrices } = config;
  if (billing !== 'stripe') return null;
  const { store, clock, ids, reporter } = ports;
  const prices = stripePricesOf(stripePrices)!;
  const { createStripePayments } = await import('#adapters/stripe/payments.ts');
  const payments = createStripePayments({
    secretKey: stripeSecretKey!,
    webhookSecret: stripeWebhookSecret!,
    prices,
  });
  const subscriptions = createSubscriptionRows(store, ids);
  const workspace = async (workspaceId: string) => (await readHead(store, workspaceId))?.state ?? null;
  return {
    payments,
    billing: new Billing({
      payments,
      subscriptions,
      workspace,
      sendCommand,
      clock,
      reporter,
      publicUrl: addresses.publicUrl,
      offers: prices.map(({ sold }) => sold),
    }),
  };
}
