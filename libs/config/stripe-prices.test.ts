import { expect, test } from 'vitest';
import { ConfigError, readConfig } from './config.ts';
import { stripePricesOf } from './stripe-prices.ts';

const SET = {
  CRIER_BILLING: 'stripe',
  CRIER_STRIPE_SECRET_KEY: 'sk_test_1',
  CRIER_STRIPE_WEBHOOK_SECRET: 'whsec_1',
  CRIER_STRIPE_PRICES: 'pro=price_1,agency=price_2,credits.100=price_3',
};

test('prices are of a Plan or of a number of credits', () => {
  expect(stripePricesOf(['pro=price_1', 'credits.100=price_3'])).toEqual([
    { priceId: 'price_1', sold: { kind: 'plan', plan: 'pro' } },
    { priceId: 'price_3', sold: { kind: 'credits', credits: 100 } },
  ]);
});

test.each([
  ['a Plan that nobody pays for', ['free=price_1']],
  ['a Plan that is not known', ['gold=price_1']],
  ['no credits', ['credits.0=price_1']],
  ['what is no price', ['pro=prod_1']],
  ['a Plan twice', ['pro=price_1', 'pro=price_2']],
  ['a price twice', ['pro=price_1', 'agency=price_1']],
])('%s is refused', (_, entries) => {
  expect(stripePricesOf(entries)).toBeNull();
});

test('billing by Stripe needs all three settings, and they need it', () => {
  expect(readConfig(SET).billing).toBe('stripe');
  for (const missing of ['CRIER_STRIPE_SECRET_KEY', 'CRIER_STRIPE_WEBHOOK_SECRET', 'CRIER_STRIPE_PRICES'])
    expect(() => readConfig({ ...SET, [missing]: '' })).toThrow(
      new ConfigError(`${missing} is missing: CRIER_BILLING=stripe needs it`),
    );
  expect(() => readConfig({ ...SET, CRIER_STRIPE_PRICES: 'pro=1' })).toThrow(/CRIER_STRIPE_PRICES/);
  expect(() => readConfig({ ...SET, CRIER_BILLING: 'operator' })).toThrow(/CRIER_BILLING=stripe/);
});
