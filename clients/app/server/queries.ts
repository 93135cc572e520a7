import {
  MutationCache,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
  type InvalidateQueryFilters,
  type Query,
  type UseMutationOptions,
  type UseQueryOptions,
} from '@tanstack/react-query';
import { isPassing, isSignedOut } from './problem.ts';
import type { AppServer } from './router-type.ts';
import { server } from './server.ts';

const MAX_TRIES = 3;
const FRESH_MS = 10_000;

/** What pages have read from the server, for as long as the tab is open. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      retry: (tries, error) => tries < MAX_TRIES && isPassing(error) && !isSignedOut(error),
    },
    // A mutation is never sent by itself: the person decides. The default network mode pauses one that is made offline
    // and sends it on reconnect, even if its dialog was closed meanwhile; with `always` it fails at once.
    mutations: { retry: false, networkMode: 'always' },
  },
  queryCache: new QueryCache({ onError: lookWhetherSignedOut }),
  mutationCache: new MutationCache({ onError: lookWhetherSignedOut }),
});

/** A session that ended while the tab was open shows at the next call; the frame then says so. */
export function lookWhetherSignedOut(error: unknown): void {
  if (!isSignedOut(error)) return;
  void queryClient.invalidateQueries({ queryKey: serverKey((from) => from.session.get) });
}

/**
 * Invalidates the queries that match, and resolves once those that are shown have been read again. A response in flight
 * may be older than the change. `invalidateQueries` cancels and repeats such a read only for a shown query that has
 * data; for a first read, or a query that no page shows, it would take the response for fresh. Such a query is
 * invalidated once its response is there.
 */
export async function outdate(filters: InvalidateQueryFilters): Promise<void> {
  const found = queryClient.getQueryCache().findAll(filters);
  const coming = found.filter(({ state }) => state.fetchStatus !== 'idle');
  const left = coming.filter((query) => query.state.data === undefined || !query.isActive());
  const ofShown = left.flatMap((query) => {
    const marked = outdateOnceCome(query);
    return query.isActive() ? [marked] : [];
  });
  await Promise.all([queryClient.invalidateQueries(filters), ...ofShown]);
}

const marking = new WeakMap<Query, Promise<void>>();

/** Once, however many changes come meanwhile. Never rejects. */
function outdateOnceCome(query: Query): Promise<void> {
  const mark = (): Promise<void> => {
    marking.delete(query);
    return queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true });
  };
  const marked = marking.get(query) ?? Promise.resolve(query.promise).then(mark, mark);
  marking.set(query, marked);
  return marked;
}

/** Changes an answer in place. What is out of date stays so: the change is one of several that it may lack. */
export function patchAnswer<Answer>(queryKey: readonly unknown[], change: (answer: Answer) => Answer): void {
  const isOutdated = queryClient.getQueryState(queryKey)?.isInvalidated === true;
  queryClient.setQueryData<Answer>(queryKey, (answer) => answer && change(answer));
  if (isOutdated) void queryClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
}

/** A procedure that reads, as tRPC's client has it. */
export interface QueryProcedure<Input, Output> {
  query(input: Input, options?: { readonly signal?: AbortSignal }): Promise<Output>;
}

/** A procedure that changes something, as tRPC's client has it. */
export interface MutationProcedure<Input, Output> {
  mutate(input: Input): Promise<Output>;
}

type QueryExtras<Output> = Omit<UseQueryOptions<Output>, 'queryKey' | 'queryFn'>;
type MutationExtras<Input, Output> = Omit<UseMutationOptions<Output, Error, Input>, 'mutationFn'>;

/** Reads: `useServerQuery((from) => from.channels.list, { workspaceId })`. */
export function useServerQuery<Input, Output>(
  procedure: (from: AppServer) => QueryProcedure<Input, Output>,
  input: Input,
  extras: QueryExtras<Output> = {},
) {
  return useQuery<Output>({ ...extras, ...serverQuery(procedure, input) });
}

function serverQuery<Input, Output>(procedure: (from: AppServer) => QueryProcedure<Input, Output>, input: Input) {
  return {
    queryKey: serverKey(procedure, input),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => procedure(server).query(input, { signal }),
  };
}

/** Changes: `useServerMutation((to) => to.keys.revoke)`, then `.mutate({ workspaceId, keyId })`. */
export function useServerMutation<Input, Output>(
  procedure: (to: AppServer) => MutationProcedure<Input, Output>,
  extras: MutationExtras<Input, Output> = {},
) {
  return useMutation<Output, Error, Input>({ ...extras, mutationFn: (input) => procedure(server).mutate(input) });
}

/**
 * The key under which an answer is kept, for `invalidateQueries` and `setQueryData`. Without `input`: of every answer
 * of that procedure, or of a whole group such as `(from) => from.posts`.
 */
export function serverKey(procedure: (from: AppServer) => unknown, input?: unknown): readonly unknown[] {
  const names: string[] = [];
  const recorder: unknown = new Proxy(
    {},
    {
      get: (_target, name, receiver: unknown) => {
        names.push(String(name));
        return receiver;
      },
    },
  );
  procedure(recorder as AppServer);
  return input === undefined ? names : [...names, input];
}
