import type { Express, Request, Response } from 'express';
import { NETWORKS, type Network } from '#domain/network.ts';
import type { PersonRequest, PersonRequests } from '#connections/person-requests.ts';
import { PortError } from '#ports/errors.ts';
import type { Reporter } from '#reporting/reporter.ts';
import type { RateLimiter } from '#rate-limit/rate-limiter.ts';
import { escaped, formOf, guardsOf, sendPage } from '#http-server/page.ts';
import type { CountStrangerOptions } from '#use-cases/stranger-limits.ts';
import { countVisitor } from './count-visitor.ts';

export interface PersonRequestRoutesOptions {
  readonly personRequests: Pick<PersonRequests, 'isServed' | 'read' | 'deauthorize' | 'deleteData' | 'deletionStatus'>;
  /** Counts what is done for one person in a minute. */
  readonly personLimiter: Pick<RateLimiter, 'admit'>;
  readonly publicUrl: () => string;
  readonly requestId: () => string;
  readonly reporter: Reporter;
  /** Counts requests that no Network has signed, by address. */
  readonly strangers: CountStrangerOptions['strangers'];
}

const CODE = /^[\w-]{1,64}$/;
const STATUS_WORDS = {
  'under way': 'What this installation holds of your account is being deleted.',
  done: 'Nothing of your account is held here any more.',
} as const;

/**
 * Where Meta's Networks send what a person asked for there: `/connect/{network}/deauthorize` when the person removed
 * our app, `/data-deletion` when the person wants what we hold deleted, and below it a page with the status of that. A
 * request counts by its signature alone, which is verified before anything is read or written. Returns the paths with
 * the method each takes. They are for Networks, not for clients: the OpenAPI document does not list them.
 */
export function addPersonRequests(
  app: Express,
  options: PersonRequestRoutesOptions,
): readonly (readonly [path: string, method: 'get' | 'post'])[] {
  const { personRequests, publicUrl, requestId } = options;
  app.post('/connect/:network/deauthorize', (request, response) =>
    serve(request, response, options, async (network) => {
      const asked = await admitted(network, request, response, options);
      if (asked === null) return;
      await personRequests.deauthorize(asked);
      json(response, 200, {}, requestId());
    }),
  );
  app.post('/connect/:network/data-deletion', (request, response) =>
    serve(request, response, options, async (network) => {
      const asked = await admitted(network, request, response, options);
      if (asked === null) return;
      const code = await personRequests.deleteData(asked);
      const url = `${publicUrl()}/connect/${network}/data-deletion/${code}`;
      json(response, 200, { url, confirmation_code: code }, requestId());
    }),
  );
  app.get('/connect/:network/data-deletion/:code', (request, response) =>
    serve(request, response, options, async (network) => {
      const code = String(request.params['code']);
      const status = CODE.test(code) ? await personRequests.deletionStatus(network, code) : null;
      const tooMany = status === null ? countVisitor(options, request.ip, response) : null;
      const [shown, body] =
        tooMany !== null
          ? [429, escaped(tooMany.message)]
          : status === null
            ? [404, 'There is no deletion of this code.']
            : [200, STATUS_WORDS[status]];
      sendPage(response, { status: shown, title: 'Deletion of data', body: `<p>${body}</p>`, requestId: requestId() });
    }),
  );
  return [
    ['/connect/:network/deauthorize', 'post'],
    ['/connect/:network/data-deletion', 'post'],
    ['/connect/:network/data-deletion/:code', 'get'],
  ];
}

async function serve(
  request: Request,
  response: Response,
  options: PersonRequestRoutesOptions,
  work: (network: Network) => Promise<void>,
): Promise<void> {
  const { personRequests, requestId, reporter } = options;
  const network = request.params['network'] as Network;
  try {
    if (NETWORKS.includes(network) && personRequests.isServed(network)) return await work(network);
    refuseStranger({ response, client: request.ip }, requestId(), NOT_SERVED, options);
  } catch (error) {
    // A Network that went away while it was sending sends it again.
    if (!request.complete && request.destroyed) return;
    if (!(error instanceof PortError)) reporter.failure('person-request-failed', error, { network });
    if (response.headersSent) response.destroy();
    else refuse(response, requestId(), AGAIN_LATER);
  }
}

/** null: it was answered. */
async function admitted(
  network: Network,
  request: Request,
  response: Response,
  options: PersonRequestRoutesOptions,
): Promise<PersonRequest | null> {
  const { personRequests, personLimiter, requestId } = options;
  const id = requestId();
  // Read at the start: a connection that ends amid a form has none any more.
  const client = request.ip;
  const stranger = (refused: Refused) => refuseStranger({ response, client }, id, refused, options);
  const form = await formOf(request);
  if (form === null) return stranger(TOO_LARGE);
  const asked = personRequests.read(network, form.get('signed_request') ?? '');
  if (asked === null)
    return stranger({
      status: 400,
      code: 'invalid_request',
      message: `signed_request: it is not signed by the app at ${network}.`,
    });
  const admission = await personLimiter.admit(`person/${network}/${asked.personId}`, id);
  if (admission.admitted) return asked;
  return refuse(response, id, TOO_MANY);
}

interface Refused {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const NOT_SERVED: Refused = { status: 404, code: 'not_found', message: 'There is nothing at this address.' };
const TOO_LARGE: Refused = { status: 413, code: 'too_large', message: 'The form is too large.' };
const TOO_MANY: Refused = {
  status: 429,
  code: 'rate_limited',
  message: 'There are too many requests for this person. Wait a minute.',
};
const AGAIN_LATER: Refused = {
  status: 503,
  code: 'unavailable',
  message: 'This did not work. Please send it again in a minute.',
};

/** Who shows nothing that a Network signed counts by address. */
function refuseStranger(
  { response, client }: { readonly response: Response; readonly client: string | undefined },
  requestId: string,
  refused: Refused,
  options: PersonRequestRoutesOptions,
): null {
  const tooMany = countVisitor(options, client, response);
  return refuse(response, requestId, tooMany === null ? refused : { status: 429, ...tooMany });
}

function refuse(response: Response, requestId: string, { status, code, message }: Refused): null {
  json(response, status, { error: { code, message } }, requestId);
  return null;
}

function json(response: Response, status: number, body: object, requestId: string): void {
  response.writeHead(status, { ...guardsOf(requestId), 'Content-Type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(body));
}
