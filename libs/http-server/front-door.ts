import express, { type Express } from 'express';
import type { ApiProblem } from './api-problem.ts';

/** What a role serves on the public address, beside the other roles of its process. */
export interface FrontDoor {
  /** Adds its routes. Other roles may have routes before and behind them. */
  addTo(app: Express): void;
  /** Ends answers that would go on for as long as their client listens; others end by themselves. */
  drain?(): void;
}

export interface FrontAppOptions {
  /** Addresses or ranges of proxies whose forwarded headers count. */
  readonly trustedProxies: readonly string[];
  /** Where clients reach the service; left out: it is not known to be https. */
  readonly publicUrl?: () => string;
  /** How long browsers are to ask for https alone; 0 or left out: they are not told. */
  readonly hstsSeconds?: number;
}

/** An express application as every front door wants it: it adds nothing by itself, and parses nothing. */
export function createFrontApp({ trustedProxies, publicUrl, hstsSeconds = 0 }: FrontAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('trust proxy', trustedProxies.length === 0 ? false : [...trustedProxies]);
  if (publicUrl !== undefined && hstsSeconds > 0)
    app.use((_request, response, next) => {
      // Over HTTP browsers pass over it. Of hosts below it nothing is known here.
      if (publicUrl().startsWith('https:')) response.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`);
      next();
    });
  return app;
}

export const NO_ROUTE: ApiProblem = { code: 'not_found', message: 'There is nothing at this address.' };

const BAD_ADDRESS: ApiProblem = {
  code: 'invalid_request',
  message: 'The address of the request is not validly encoded.',
};

/** What a client did wrong when express failed to route its request; null: the failure is a defect of ours. */
export function routingProblemOf(error: unknown): ApiProblem | null {
  const isOfClient = error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
  return isOfClient ? BAD_ADDRESS : null;
}
