import type { Express, Request, Response } from 'express';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { countStranger, type StrangerLimits } from '#use-cases/stranger-limits.ts';
import type { PageRequests } from './page-requests.ts';
import type { BrowserSessions } from './sessions.ts';
import { LINK_PATH } from './sign-in-links.ts';

export interface StrangerGateOptions {
  readonly strangers: Pick<StrangerLimits, 'take'>;
  readonly sessions: Pick<BrowserSessions, 'current'>;
  readonly pages: Pick<PageRequests, 'page'>;
  readonly reporter: Reporter;
}

/**
 * Pages for signing in and for consent, and registrations of apps; documents for apps are files. Whoever comes back
 * from paying makes us ask the payment service, which takes so many questions from us and no more.
 */
const DOORS =
  /^\/(?:sign-in|sign-out|oauth\/(?:authorize|register|consent)|authorize|register|account|billing\/return)(?:\/|$)/;
/** What is sent here may be a credential itself, a link, a code, a token or a signature, which is judged further on. */
const WITH_CREDENTIAL = /^\/(?:oauth\/(?:token|revoke)|token|billing\/stripe)$/;
const FOR_PROGRAMS = /^\/(?:oauth\/)?register(?:\/|$)/;
const FAILED_FROM = 400;

/**
 * Stands before the doors of people and apps, and refuses an address that asks too often without a session. A mailed
 * link, a code and a refresh token are never refused for what others sent from the address: there, what failed counts.
 */
export function addStrangerGate(app: Express, options: StrangerGateOptions): void {
  const { strangers, sessions } = options;
  app.use(async (request, response, next) => {
    const { path, ip } = request;
    if (WITH_CREDENTIAL.test(path) || path.startsWith(`${LINK_PATH}/`)) {
      response.once('finish', () => void (response.statusCode >= FAILED_FROM && strangers.take(ip)));
      return next();
    }
    if (!DOORS.test(path) || request.method === 'OPTIONS' || (await isKnown(sessions, request))) return next();
    const refused = countStranger(options, 'sign-in', ip);
    if (refused === null) return next();
    refuse(options, request, response, refused);
  });
}

/** A store that is away refuses nobody here: the page itself then says so. */
async function isKnown(sessions: StrangerGateOptions['sessions'], request: Request): Promise<boolean> {
  try {
    return (await sessions.current(request)) !== null;
  } catch (error) {
    if (error instanceof PortError) return true;
    throw error;
  }
}

function refuse(
  { pages }: Pick<StrangerGateOptions, 'pages'>,
  request: Request,
  response: Response,
  { message, retryAfterSeconds = 1 }: NonNullable<ReturnType<StrangerLimits['take']>>,
): void {
  response.setHeader('Retry-After', String(retryAfterSeconds));
  if (!FOR_PROGRAMS.test(request.path))
    return pages.page(response, { status: 429, title: 'Please wait', body: `<p>${message}</p>` });
  const body = JSON.stringify({ error: 'temporarily_unavailable', error_description: message });
  response.writeHead(429, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'Access-Control-Allow-Origin': '*',
  });
  response.end(body);
}
