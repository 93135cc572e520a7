import express, { type ErrorRequestHandler, type Express } from 'express';
import { MEDIA_PATH } from '#media/media-addresses.ts';
import { type ApiProblem, UNAVAILABLE } from '../outcome.ts';
import { addConnectPages, type ConnectPagesOptions } from './connect-pages.ts';
import { addDeveloperPages } from './developer-pages.ts';
import type { Route } from './routes.ts';
import { UPLOAD_PATH } from '../uploads/upload-addresses.ts';
import { createMediaRoute, type MediaRouteOptions } from './media-route.ts';
import { Server, type ServeOptions } from './serve.ts';
import { createUploadRoute, type UploadRouteOptions } from './upload-route.ts';

export interface AppOptions extends ServeOptions, MediaRouteOptions, UploadRouteOptions {
  readonly signIns: ConnectPagesOptions['signIns'];
  readonly routes: readonly Route[];
  /** Called when the first page is served: in tests the port is chosen when the service listens. */
  readonly publicUrl: () => string;
  /** Addresses or ranges of proxies whose forwarded headers count. */
  readonly trustedProxies: readonly string[];
}

const NO_ROUTE: ApiProblem = { code: 'not_found', message: 'There is nothing at this address.' };
const BAD_ADDRESS: ApiProblem = {
  code: 'invalid_request',
  message: 'The address of the request is not validly encoded.',
};

/** Everything that ingress serves, as one request handler. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('case sensitive routing', true);
  app.set('trust proxy', options.trustedProxies.length === 0 ? false : [...options.trustedProxies]);
  const server = new Server(options);

  const requestId = () => options.ids.uuid7(options.clock.now());
  for (const path of addDeveloperPages(app, options.publicUrl, requestId))
    refuseOtherMethods(app, server, path, ['get']);
  for (const [path, method] of addConnectPages(app, { ...options, requestId }))
    refuseOtherMethods(app, server, path, [method]);
  // Path by path: a method that no route of a path takes is refused before the next path is compared.
  for (const [path, routes] of Map.groupBy(options.routes, (route) => route.path)) {
    for (const route of routes) app[route.method](path, server.serve(route));
    refuseOtherMethods(
      app,
      server,
      path,
      routes.map((route) => route.method),
    );
  }
  app.put(UPLOAD_PATH, server.serveOpen('receive-upload', createUploadRoute(options)));
  refuseOtherMethods(app, server, UPLOAD_PATH, ['put']);
  app.get(MEDIA_PATH, server.serveOpen('read-media', createMediaRoute(options)));
  refuseOtherMethods(app, server, MEDIA_PATH, ['get']);
  app.use(server.refuse('not-found', NO_ROUTE));
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) => {
    const clients = error instanceof URIError || (error as { status?: unknown } | null)?.status === 400;
    if (!clients) options.reporter.failure('request-failed', error);
    void server.refuse('bad-address', clients ? BAD_ADDRESS : UNAVAILABLE)(request, response);
  };
  app.use(onError);
  return app;
}

function refuseOtherMethods(app: Express, server: Server, path: string, methods: readonly string[]): void {
  const allow = methods.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])).join(', ');
  app.all(
    path,
    server.refuse(
      'method-not-allowed',
      { code: 'method_not_allowed', message: `This address takes ${allow} only.` },
      { Allow: allow },
    ),
  );
}
