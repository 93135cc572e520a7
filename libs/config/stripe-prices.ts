/** What CRIER_STRIPE_PRICES says: what each price of Stripe is of. */
export interface ConfiguredPrice {
  readonly priceId: string;
  readonly sold:
    { readonly kind: 'plan'; readonly plan: string } | { readonly kind: 'credits'; readonly credits: number };
}

const ENTRY = /^(?:(?<plan>pro|agency)|credits\.(?<credits>[1-9]\d{0,5}))=(?<priceId>price_\w+)$/;

/** Null: an entry is not such as `pro=price_...`, `agency=price_...` or `credits.100=price_...`, or stands twice. */
export function stripePricesOf(entries: readonly string[]): readonly ConfiguredPrice[] | null {
  const prices: ConfiguredPrice[] = [];
  for (const entry of entries) {
    const { plan, credits, priceId } = ENTRY.exec(entry)?.groups ?? {};
    if (priceId === undefined) return null;
    const sold =
      plan === undefined ? ({ kind: 'credits', credits: Number(credits) } as const) : ({ kind: 'plan', plan } as const);
    prices.push({ priceId, sold });
  }
  const isTwice = (values: readonly string[]): boolean => new Set(values).size < values.length;
  const names = entries.map((entry) => entry.split('=', 1)[0]!);
  return isTwice(names) || isTwice(prices.map(({ priceId }) => priceId)) ? null : prices;
}
