import type { RequestListener } from 'node:http';
import type { AnyRouter } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import type { Reporter } from '#reporting/reporter.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Serves procedures below `basePath`. An unexpected error is reported to the log; the caller learns only that one
 * happened.
 */
export function serveRouter(router: AnyRouter, basePath: string, reporter: Reporter): RequestListener {
  return createHTTPHandler({
    router,
    basePath,
    maxBodySize: MAX_BYTES,
    createContext: () => ({}),
    onError: ({ error, path }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR')
        reporter.failure('procedure-failed', error.cause ?? error, { procedure: path });
    },
  });
}
