import { callAdmin, type AdminAddress } from '#services/admin/client.ts';
import type { BundlePart } from './bundle-part.ts';

const DEADLINE_MS = 15_000;

/** Where the server is to be asked. Throws where nothing runs, in words. */
export type FindServer = () => Required<AdminAddress>;

/** What the process at the admin address says of itself and of the installation. */
export function serverParts(find: FindServer): readonly BundlePart[] {
  return [
    page(find, 'live.json', '/health/live'),
    page(find, 'ready.json', '/health/ready'),
    page(find, 'metrics.txt', '/metrics'),
    procedure(find, 'system.status'),
    procedure(find, 'cluster.status'),
    procedure(find, 'shards.list'),
    procedure(find, 'groups.list'),
    procedure(find, 'secrets.status'),
    procedure(find, 'parked.list'),
    procedure(find, 'timers.count', { hours: 1 }),
    procedure(find, 'deadLetters.list', { limit: 200 }),
    procedure(find, 'publishing.status', undefined, withoutReasons),
  ];
}

/** Health and metrics need no token, and none is sent. An answer that is not 200 is what is asked for, too. */
function page(find: FindServer, file: string, path: string): BundlePart {
  return {
    file,
    deadlineMs: DEADLINE_MS,
    gather: async (signal) => {
      const server = find();
      const url = `${server.url.replace(/\/+$/, '')}${path}`;
      try {
        return await (await server.fetch(url, { signal })).text();
      } catch (error) {
        throw new Error(`${url} does not answer: ${causeOf(error)}`, { cause: error });
      }
    },
  };
}

function procedure(
  find: FindServer,
  name: string,
  input?: unknown,
  without: (value: unknown) => unknown = (value) => value,
): BundlePart {
  return {
    file: `${name}.json`,
    deadlineMs: DEADLINE_MS,
    gather: async (signal) => {
      const server = find();
      const fetch: AdminAddress['fetch'] = (url, init) => server.fetch(url, { ...init, signal });
      const answer = await callAdmin({ ...server, fetch }, name, input);
      if (!answer.ok) throw new Error(`${answer.message} (${answer.reason})`);
      return without(answer.value);
    },
  };
}

/** Why something is held, and by whom, an owner may have written. */
function withoutReasons(status: unknown): unknown {
  const { held, ...rest } = status as { readonly held: readonly Readonly<Record<string, unknown>>[] };
  return { ...rest, held: held.map(({ reason: _, by: __, ...hold }) => hold) };
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return code ?? message;
}
