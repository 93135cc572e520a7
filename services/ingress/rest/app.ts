import type { ErrorRequestHandler, Express } from 'express';
import {
  createFrontApp,
  NO_ROUTE,
  routingProblemOf,
  type FrontAppOptions,
  type FrontDoor,
} from '#http-server/front-door.ts';
import { MEDIA_PATH } from '#media/media-addresses.ts';
import { UNAVAILABLE } from '#use-cases/outcome.ts';
import { addConnectPages, type ConnectPagesOptions } from './connect-pages.ts';
import { addPersonRequests, type PersonRequestRoutesOptions } from './person-requests.ts';
import { addDeveloperPages, DEVELOPERS_PATH } from '../developers/developer-pages.ts';
import type { Route } from './routes.ts';
import type { McpEndpoint } from '../mcp/endpoint.ts';
import { addResourceMetadata } from '../mcp/resource-metadata.ts';
import { UPLOAD_PATH } from '#use-cases/upload-addresses.ts';
import { createMediaRoute, type MediaRouteOptions } from './media-route.ts';
import { Server, type ServeOptions } from './serve.ts';
import { createUploadRoute, type UploadRouteOptions } from './upload-route.ts';

export interface AppOptions extends FrontAppOptions, ServeOptions, MediaRouteOptions, UploadRouteOptions {
  readonly signIns: ConnectPagesOptions['signIns'];
  readonly workspaces: ConnectPagesOptions['workspaces'];
  readonly personRequests: PersonRequestRoutesOptions['personRequests'];
  readonly personLimiter: PersonRequestRoutesOptions['personLimiter'];
  readonly routes: readonly Route[];
  readonly mcp: Pick<McpEndpoint, 'serve'>;
  /** Called when the first page is served: in tests the port is chosen when the service listens. */
  readonly publicUrl: () => string;
  /** Of the other roles of this process. */
  readonly doors: readonly FrontDoor[];
}

/** Everything that ingress serves, as one request handler. */
export function createApp(options: AppOptions): Express {
  const app = createFrontApp(options);
  const server = new Server(options);

  const requestId = () => options.ids.uuid7(options.clock.now());
  addDeveloperPages(app, { ...options, requestId });
  refuseOtherMethods(app, server, DEVELOPERS_PATH, ['get']);
  for (const path of addResourceMetadata(app, { ...options, requestId }))
    refuseOtherMethods(app, server, path, ['get', 'options']);
  // With or without a slash at its end: many clients send a POST that is redirected again as a GET.
  app.all('/mcp', (request, response) => options.mcp.serve(request, response));
  const pages = { ...options, requestId };
  for (const [path, ...methods] of [...addConnectPages(app, pages), ...addPersonRequests(app, pages)])
    refuseOtherMethods(app, server, path, methods);
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
  for (const door of options.doors) door.addTo(app);
  app.use(server.refuse('not-found', NO_ROUTE));
  const onError: ErrorRequestHandler = (error: unknown, request, response, _next) => {
    const problem = routingProblemOf(error);
    if (problem === null) options.reporter.failure('request-failed', error);
    void server.refuse('bad-address', problem ?? UNAVAILABLE)(request, response);
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
