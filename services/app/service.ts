import type { ErrorRequestHandler, Response } from 'express';
import { createFrontApp, NO_ROUTE, routingProblemOf, type FrontDoor } from '#http-server/front-door.ts';
import { createListener, type ListenerOptions, type ListenerTls } from '#http-server/listener.ts';
import { sendProblem } from '#http-server/answer.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import { MIN_CLIENT_PACE } from '#media/min-pace.ts';
import { Listening, type ListeningService } from '#runtime/listening.ts';
import { createAuthorizationServer } from './oauth/authorization-server.ts';
import type { AuthorizationServerOptions } from './oauth/dependencies.ts';
import { signOutForm } from './people/account-pages.ts';
import { AppPages, type AppPagesOptions } from './pages/app-pages.ts';
import { AccessWatch } from './live/access-watch.ts';
import { ChangeFeed } from './live/change-feed.ts';
import type { ChangeReader } from './live/workspace-watch.ts';
import { addBillingEndpoint, type BillingEndpointOptions } from './billing/endpoint.ts';
import type { People } from './people/people.ts';
import { addStrangerGate } from './people/stranger-gate.ts';
import { shownSession } from './trpc/account.ts';
import { addTrpcEndpoint, type TrpcEndpointOptions } from './trpc/endpoint.ts';

export interface AppDoorOptions
  extends Omit<AuthorizationServerOptions, 'sessions' | 'notYouForm'>, Pick<AppPagesOptions, 'folder' | 'mediaUrl'> {
  readonly people: People;
  /** Null: nothing is paid here. */
  readonly paid: Pick<BillingEndpointOptions, 'billing' | 'payments'> | null;
  /** Of the procedures for Members. */
  readonly trpc: Omit<TrpcEndpointOptions, 'feed' | 'access' | 'ending'>;
  /** What turns left behind for open pages. */
  readonly changes: ChangeReader;
}

/** The front door of the role app: signing in, the authorization server, and the app's pages. */
export function createAppDoor({ people, trpc, paid, changes, ...options }: AppDoorOptions): FrontDoor {
  const authorizationServer = createAuthorizationServer({
    ...options,
    sessions: people.sessions,
    notYouForm: ({ request, response, returnPath }) =>
      signOutForm(request, response, people, { label: 'Not you? Sign out', returnPath }),
  });
  const appPages = new AppPages({
    ...options,
    sessions: people.sessions,
    session: (signedIn) => shownSession(signedIn, trpc),
    strangers: trpc.strangers,
    pages: people.pages,
  });
  const feed = new ChangeFeed({ ...options, changes });
  const access = new AccessWatch({ ...options, sessions: people.sessions });
  const ending = new AbortController();
  return {
    drain() {
      ending.abort();
      feed.close();
    },
    addTo(app) {
      addStrangerGate(app, { ...options, ...people, strangers: trpc.strangers });
      addTrpcEndpoint(app, { ...trpc, feed, access, ending: ending.signal });
      if (paid !== null) addBillingEndpoint(app, { ...options, ...paid });
      authorizationServer.addTo(app);
      people.addTo(app);
      appPages.addTo(app);
    },
  };
}

export interface AppServiceOptions extends Pick<AppDoorOptions, 'clock' | 'ids' | 'reporter' | 'publicUrl'> {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Null: plain HTTP. */
  readonly tls: ListenerTls | null;
  readonly trustedProxies: readonly string[];
  readonly hstsSeconds?: number;
  readonly inFlight?: ListenerOptions['inFlight'];
}

const UNAVAILABLE: ApiProblem = {
  code: 'unavailable',
  message: 'The service cannot do this right now. Please try again in a few seconds.',
  retryAfterSeconds: 5,
};

/** The listener of a process that has the role app and not ingress; where it has both, ingress takes the door in. */
export function createAppService(door: FrontDoor, options: AppServiceOptions): ListeningService {
  const { clock, ids, tls, reporter, publicUrl } = options;
  const newRequestId = () => ids.uuid7(clock.now());
  const refuse = (response: Response, problem: ApiProblem): void => {
    const frame = { requestId: newRequestId(), allowance: null, closing: !listening.isListening, publicUrl };
    sendProblem(response, frame, problem);
  };
  const app = createFrontApp({ ...options, publicUrl: () => publicUrl });
  door.addTo(app);
  app.use((_request, response) => refuse(response, NO_ROUTE));
  // By itself express answers an error with its stack.
  const onError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    const problem = routingProblemOf(error);
    if (problem === null) reporter.failure('people-page-failed', error);
    refuse(response, problem ?? UNAVAILABLE);
  };
  app.use(onError);
  const listening = new Listening(
    'app',
    createListener(app, {
      ...{ tls, newRequestId, inFlight: options.inFlight },
      publicUrl: () => publicUrl,
      answerPace: {
        clock,
        pace: MIN_CLIENT_PACE,
        onCutOff: (client) => reporter.report('slow-client-disconnected', { pool: 'answers', client }),
      },
    }),
    {
      ...options,
      scheme: tls === null ? 'http' : 'https',
      onDrain: () => door.drain?.(),
    },
  );
  return listening;
}
