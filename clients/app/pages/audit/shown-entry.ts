import type { AppServer } from '../../server/router-type.ts';

/** An entry as the server tells it. */
export type ShownEntry = Awaited<ReturnType<AppServer['audit']['list']['query']>>['entries'][number];
