import type { IncomingMessage, RequestListener } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import type { Reporter } from '#reporting/reporter.ts';

const MAX_BYTES = 16 * 1024 * 1024;

export interface ServedRouterOptions {
  readonly basePath: string;
  readonly reporter: Reporter;
  /** What procedures learn of a request. */
  readonly contextOf: (request: IncomingMessage) => object;
}

/**
 * Serves procedures below `basePath`. An unexpected error is reported to the log; the caller learns only that one
 * happened.
 */
export function serveRouter(
  router: AnyRouter,
  { basePath, reporter, contextOf }: ServedRouterOptions,
): RequestListener {
  return createHTTPHandler({
    router,
    basePath,
    maxBodySize: MAX_BYTES,
    createContext: ({ req }) => contextOf(req),
    onError: ({ error, path }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR')
        reporter.failure('procedure-failed', error.cause ?? error, { procedure: path });
    },
  });
}
