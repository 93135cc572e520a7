import { APP_PATH } from '../address/app-path.ts';
import { createTRPCClient, httpBatchLink, httpLink, httpSubscriptionLink, splitLink } from '@trpc/client';
import type { AppRouter } from '#services/app/trpc/router.ts';
import type { AppServer } from './router-type.ts';

const ADDRESS = `${APP_PATH}/trpc`;
/** A page of another site can not send this with our cookie: the server refuses mutations without it. */
const HEADERS = { 'x-crier-app': '1' };
/** Proxies cut or refuse longer addresses; calls beyond it go in a second request. */
const MAX_ADDRESS_CHARACTERS = 4_000;
/** As many as the server takes in one request. */
const MAX_CALLS_AT_ONCE = 20;

/**
 * Every procedure for Members: `server.channels.list.query({ workspaceId })`. In components use `useServerQuery` and
 * `useServerMutation`. Calls reject with `TRPCClientError`; `problemOf` says what it means.
 */
export const server: AppServer = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url: ADDRESS }),
      false: splitLink({
        // An answer that is long in coming would keep back those of its batch.
        condition: ({ context }) => context['isAlone'] === true,
        true: httpLink({ url: ADDRESS, headers: HEADERS }),
        false: httpBatchLink({
          url: ADDRESS,
          headers: HEADERS,
          maxURLLength: MAX_ADDRESS_CHARACTERS,
          maxItems: MAX_CALLS_AT_ONCE,
        }),
      }),
    }),
  ],
});
