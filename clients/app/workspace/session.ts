import { useEffect } from 'react';
import { useServerQuery } from '../server/queries.ts';
import { noteServerTime } from './clock.ts';

const EVERY_MS = 60_000;
/** In the sandbox hours may pass at any moment. */
const EVERY_IN_SANDBOX_MS = 5_000;

/** Who is signed in, and where they are Members; asked again by and by, and when the tab is looked at again. */
export function useSession() {
  return useServerQuery((from) => from.session.get, undefined, {
    refetchInterval: ({ state }) => (state.data?.installation.sandbox === true ? EVERY_IN_SANDBOX_MS : EVERY_MS),
    refetchOnWindowFocus: 'always',
  });
}

export type AppSession = NonNullable<ReturnType<typeof useSession>['data']>;

/** Keeps the clock of the app at the time that the server tells: once in the frame. */
export function useServerClock({
  data,
  dataUpdatedAt,
}: Pick<ReturnType<typeof useSession>, 'data' | 'dataUpdatedAt'>): void {
  const now = data?.now;
  useEffect(() => {
    if (now !== undefined) noteServerTime(Date.parse(now), dataUpdatedAt);
  }, [now, dataUpdatedAt]);
}
