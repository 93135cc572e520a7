/** What can be paid for, as the operator named it: a Plan, or so many credits at once. */
export type Sold =
  { readonly kind: 'plan'; readonly plan: string } | { readonly kind: 'credits'; readonly credits: number };

export interface CheckoutOrder {
  readonly sold: Sold;
  /** Comes back with everything that is told of the purchase. */
  readonly workspaceId: string;
  readonly memberId: string;
  /** Who pays, where the service does not know the Workspace's customer yet. */
  readonly email: string;
  /** Null: it paid for nothing before. */
  readonly customerId: string | null;
  /** Where the person comes back to after paying; `{id}` in it becomes the checkout's id. */
  readonly paidUrl: string;
  /** Where the person comes back to without having paid. */
  readonly cancelledUrl: string;
}

/** A checkout that was begun. */
export interface BegunCheckout {
  readonly id: string;
  /** The address of the page on which a person pays. */
  readonly url: string;
}

/** A checkout as it stands at the service. */
export interface Checkout {
  readonly id: string;
  /** Null: it was not begun here. */
  readonly workspaceId: string | null;
  readonly isPaid: boolean;
  /** What the prices that were paid are of, each as often as it was bought; null: a price that is not sold here. */
  readonly sold: readonly (Sold | null)[];
  /** Null: nothing goes on. */
  readonly subscriptionId: string | null;
  readonly createdAt: number;
}

/** A subscription as it stands at the service. Instants are in milliseconds since the epoch. */
export interface PaidSubscription {
  readonly id: string;
  /** Null: it was not begun here. */
  readonly workspaceId: string | null;
  readonly customerId: string;
  /** `begun`: the first payment is awaited. `good`: it is paid, or the service still tries. */
  readonly state: 'begun' | 'good' | 'ended';
  /** Null: a price that is not sold here. */
  readonly plan: string | null;
  /** The end of the period that it is in. */
  readonly periodEndsAt: number;
  /** When it will end without being renewed; null: it goes on. */
  readonly endsAt: number | null;
}

/** That something changed. What it came to is asked of the service: notices repeat, overtake each other, get lost. */
export interface PaymentNotice {
  readonly id: string;
  readonly about:
    | { readonly kind: 'checkout'; readonly checkoutId: string }
    | { readonly kind: 'subscription'; readonly subscriptionId: string }
    /** Something that nothing here hangs on. */
    | null;
}

/**
 * A service that takes payments on pages of its own: nothing of cards comes here. Methods that return a promise reject
 * with `PortError`, never of the kind `unknown`: asking again is harmless.
 */
export interface Payments {
  beginCheckout(order: CheckoutOrder): Promise<BegunCheckout>;
  /**
   * Once it resolves, nobody can pay on the checkout's page any more. The subscription that it came to if a person
   * completed it before, whether or not the payment has arrived; null: it came to none.
   */
  endCheckout(checkoutId: string): Promise<string | null>;
  /** The address of a page on which a customer changes or ends what they pay for. */
  beginChange(customerId: string, returnUrl: string): Promise<string>;
  /** Null: there is none. */
  readCheckout(checkoutId: string): Promise<Checkout | null>;
  /** Null: there is none. */
  readSubscription(subscriptionId: string): Promise<PaidSubscription | null>;
  /** Null: it was not signed by the service, or too long ago. `body`: as it came, byte for byte. */
  readNotice(body: Buffer, signature: string | undefined): PaymentNotice | null;
}
