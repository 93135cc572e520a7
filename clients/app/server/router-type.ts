import type { TRPCClient } from '@trpc/client';
import type { AppRouter } from '#services/app/trpc/router.ts';

/** The procedures that the role `app` serves at /app/trpc. */
export type AppServer = TRPCClient<AppRouter>;
