import type { SendOperatorCommand } from '#commands/operator-command.ts';
import { PURCHASES_KEPT_MS } from '#domain/workspace/decide/plan.ts';
import type { WorkspaceState } from '#domain/workspace/state.ts';
import type { PlanName } from '#domain/plan/plan.ts';
import type { Clock } from '#ports/clock.ts';
import { PortError } from '#ports/errors.ts';
import type { BegunCheckout, Checkout, PaymentNotice, Payments, Sold, PaidSubscription } from '#ports/payments.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { StoredSubscription, SubscriptionRows } from '#tables/repositories/subscriptions.ts';
import { rulingOf, stepsToPlan } from './wanted-plan.ts';

export interface BillingOptions {
  readonly payments: Payments;
  readonly subscriptions: SubscriptionRows;
  /** Null: there is no such Workspace. */
  readonly workspace: (workspaceId: string) => Promise<WorkspaceState | null>;
  readonly sendCommand: SendOperatorCommand;
  readonly clock: Pick<Clock, 'now'>;
  readonly reporter: Reporter;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
  /** What there is a price of. */
  readonly offers: readonly Sold[];
}

export interface Payer {
  readonly workspaceId: string;
  readonly memberId: string;
  readonly email: string;
}

/** Of the path to which people come back after paying. */
export const RETURN_PATH = '/billing/return';
/** No notice of a checkout is so late, nor a person who comes back from it. The Workspace forgets purchases later. */
const LATEST_MS = PURCHASES_KEPT_MS / 2;
/**
 * What changes the row of one Workspace at once, notices and requests for a Plan, overtakes each other so often at
 * most; then whoever asked is asked to wait.
 */
const MAX_ROUNDS = 5;

/**
 * Sells Plans and credits through a payment service. Whatever tells of a payment, a notice or a person who comes back,
 * only says that there is something to ask for: what was paid is read at the service. So notices that repeat, overtake
 * each other or are lost change nothing twice, and end in the same state. Methods reject with `PortError`; doing it
 * again is harmless.
 */
export class Billing {
  readonly #options: BillingOptions;

  constructor(options: BillingOptions) {
    this.#options = options;
  }

  /** How many credits are sold at once, ascending. */
  get creditPacks(): readonly number[] {
    const packs = this.#options.offers.flatMap((sold) => (sold.kind === 'credits' ? [sold.credits] : []));
    return packs.toSorted((one, other) => one - other);
  }

  /**
   * The page on which a Plan is taken, or changed where the Workspace pays for one; null: it is not sold. Of the pages
   * on which a Plan is taken, a Workspace has one at most on which somebody can pay: two would make two subscriptions.
   * So the row names the checkout that was handed out, which is ended before the next one, and a checkout is handed out
   * only when its row is written over the one that was read. A process that ends before that leaves a checkout whose
   * address nobody was given, which is harmless: it expires by itself.
   */
  async changePlan(payer: Payer, plan: PlanName): Promise<string | null> {
    const { payments, subscriptions, offers } = this.#options;
    const { workspaceId } = payer;
    const isSold = offers.some((sold) => sold.kind === 'plan' && sold.plan === plan);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { subscription: known, version } = await subscriptions.read(workspaceId);
      const current = await this.#lasting(known?.subscriptionId ?? null);
      if (current !== null) return payments.beginChange(current.customerId, this.#usagePage(workspaceId));
      if (!isSold) return null;
      const bought = await this.#endPlanCheckout(known?.planCheckoutId ?? null);
      if (bought !== null) return payments.beginChange(bought.customerId, this.#usagePage(workspaceId));
      const { id, url } = await this.#checkout(payer, { kind: 'plan', plan }, known);
      const { subscriptionId = null, customerId = null } = known ?? {};
      if (await subscriptions.write(workspaceId, version, { subscriptionId, customerId, planCheckoutId: id }))
        return url;
      await payments.endCheckout(id);
    }
    throw overtaken();
  }

  /** The page on which credits are paid; null: so many are not sold at once. */
  async buyCredits(payer: Payer, credits: number): Promise<string | null> {
    if (!this.creditPacks.includes(credits)) return null;
    const { subscription } = await this.#options.subscriptions.read(payer.workspaceId);
    return (await this.#checkout(payer, { kind: 'credits', credits }, subscription)).url;
  }

  /** Does what a notice asks for. */
  async settle({ id, about }: PaymentNotice): Promise<void> {
    if (about?.kind === 'checkout') await this.settleCheckout(about.checkoutId);
    if (about?.kind === 'subscription') await this.#settleSubscription(about.subscriptionId);
    this.#options.reporter.report('payment-notice-settled', { noticeId: id, about: about?.kind ?? 'other' });
  }

  /** The Workspace that a checkout is of; null: of none here. What was paid is there when this resolves. */
  async settleCheckout(checkoutId: string): Promise<string | null> {
    const checkout = await this.#options.payments.readCheckout(checkoutId);
    if (checkout === null || checkout.workspaceId === null) return null;
    const { workspaceId, isPaid, subscriptionId, createdAt } = checkout;
    if (!isPaid || createdAt < this.#options.clock.now() - LATEST_MS) return workspaceId;
    await this.#addCredits(workspaceId, checkout);
    if (subscriptionId !== null) await this.#settleSubscription(subscriptionId);
    return workspaceId;
  }

  #usagePage(workspaceId: string): string {
    return `${this.#options.publicUrl}/app/usage?workspace=${encodeURIComponent(workspaceId)}`;
  }

  /** The subscription, which is paid or may be yet; null: it is not. */
  async #lasting(subscriptionId: string | null): Promise<PaidSubscription | null> {
    if (subscriptionId === null) return null;
    const subscription = await this.#options.payments.readSubscription(subscriptionId);
    return subscription?.state === 'ended' ? null : subscription;
  }

  /**
   * Ends a checkout of a Plan. The lasting subscription that it came to before, which is settled then; null: none. A
   * checkout that is complete while its payment takes days came to one, too.
   */
  async #endPlanCheckout(checkoutId: string | null): Promise<PaidSubscription | null> {
    if (checkoutId === null) return null;
    const bought = await this.#lasting(await this.#options.payments.endCheckout(checkoutId));
    if (bought !== null) await this.#settleSubscription(bought.id);
    return bought;
  }

  #checkout(payer: Payer, sold: Sold, known: StoredSubscription | null): Promise<BegunCheckout> {
    const { payments, publicUrl } = this.#options;
    return payments.beginCheckout({
      ...payer,
      sold,
      customerId: known?.customerId ?? null,
      paidUrl: `${publicUrl}${RETURN_PATH}/{id}`,
      cancelledUrl: this.#usagePage(payer.workspaceId),
    });
  }

  async #addCredits(workspaceId: string, { id: purchaseId, sold }: Checkout): Promise<void> {
    const strangers = sold.filter((each) => each === null);
    if (strangers.length > 0) this.#notSold(workspaceId, purchaseId);
    const credits = sold.reduce((sum, each) => sum + (each?.kind === 'credits' ? each.credits : 0), 0);
    if (credits === 0) return;
    await this.#command(workspaceId, { type: 'AddCredits', credits, purchaseId });
  }

  /**
   * Makes the Plan that of the subscription. Every round writes the row before it commands, and looks at it again
   * afterwards: whoever read the subscription before another one wrote, and commanded after it, sees that and reads
   * anew. So the last command is by the newest reading.
   */
  async #settleSubscription(subscriptionId: string): Promise<void> {
    const { payments, subscriptions, workspace } = this.#options;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const workspaceId = (await payments.readSubscription(subscriptionId))?.workspaceId ?? null;
      if (workspaceId === null) return;
      const { subscription: known, version } = await subscriptions.read(workspaceId);
      // Behind the row: what was read before it may be older than what another one ruled by.
      const told = await payments.readSubscription(subscriptionId);
      if (told === null) return;
      const ruling = await this.#ruling(known, told);
      const { id, customerId } = ruling;
      if (!(await subscriptions.write(workspaceId, version, { ...known, subscriptionId: id, customerId }))) continue;
      const state = await workspace(workspaceId);
      if (state === null) return;
      if (ruling.state === 'good' && ruling.plan === null) this.#notSold(workspaceId, id);
      for (const step of stepsToPlan(state, ruling)) await this.#command(workspaceId, { type: 'SetPlan', ...step });
      if ((await subscriptions.read(workspaceId)).version === version + 1) return;
    }
    throw overtaken();
  }

  async #ruling(known: StoredSubscription | null, told: PaidSubscription): Promise<PaidSubscription> {
    if (known === null || known.subscriptionId === null || known.subscriptionId === told.id) return told;
    const other = await this.#options.payments.readSubscription(known.subscriptionId);
    return other === null ? told : rulingOf(other, told);
  }

  async #command(workspaceId: string, command: Parameters<SendOperatorCommand>[1]): Promise<void> {
    const result = await this.#options.sendCommand(workspaceId, command);
    // The notice comes again, or the person: neither is counted twice.
    if (!result.ok) throw new PortError('unavailable', `the Workspace did not take ${command.type}: ${result.code}`);
  }

  #notSold(workspaceId: string, about: string): void {
    this.#options.reporter.report('payment-not-sold', { workspaceId, paymentId: about });
  }
}

function overtaken(): PortError {
  return new PortError('unavailable', 'others change the same subscription');
}
