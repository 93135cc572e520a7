import type { Express, Response } from 'express';
import { smallBodyOf } from '#http-server/body.ts';
import { PortError } from '#ports/errors.ts';
import type { Payments } from '#ports/payments.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { RETURN_PATH, type Billing } from './billing.ts';

export interface BillingEndpointOptions {
  readonly billing: Pick<Billing, 'settle' | 'settleCheckout'>;
  readonly payments: Pick<Payments, 'readNotice'>;
  readonly reporter: Reporter;
  /** The address of the installation, without a slash at the end. */
  readonly publicUrl: string;
}

const NOTICE_PATH = '/billing/stripe';

/** Where Stripe sends its notices, and people come back from paying. */
export function addBillingEndpoint(app: Express, options: BillingEndpointOptions): void {
  const { billing, payments, reporter, publicUrl } = options;
  app.post(NOTICE_PATH, async (request, response) => {
    const body = await smallBodyOf(request).catch(() => null);
    if (body === null) return void answer(response, 413);
    const notice = payments.readNotice(body, request.get('stripe-signature'));
    if (notice === null) {
      reporter.report('payment-notice-forged', { client: request.ip });
      return void answer(response, 400);
    }
    try {
      await billing.settle(notice);
      answer(response, 200);
    } catch (error) {
      // Stripe sends it again, for three days.
      reporter.failure('payment-notice-failed', error, { noticeId: notice.id });
      answer(response, 503);
    }
  });
  app.get(`${RETURN_PATH}/:checkoutId`, async (request, response) => {
    const workspaceId = await billing.settleCheckout(request.params.checkoutId).catch((error: unknown) => {
      if (!(error instanceof PortError)) throw error;
      // The notice of the same payment does it, as soon as it can be done.
      reporter.failure('payment-return-failed', error);
      return null;
    });
    const search = workspaceId === null ? '' : `?workspace=${encodeURIComponent(workspaceId)}`;
    response.writeHead(303, { Location: `${publicUrl}/app/usage${search}`, 'Cache-Control': 'no-store' }).end();
  });
}

function answer(response: Response, status: number): void {
  response.writeHead(status, { 'Cache-Control': 'no-store', 'Content-Type': 'text/plain' }).end();
}
