import { SQLITE_FLOOR } from '../rows/floors.ts';
import type { PeerSizes } from './sizes.ts';

/** Posts of the Workspace that has few. */
export const FEW_POSTS = 100;

/** What the rows beside peers are called. */
export function rowNames(sizes: PeerSizes) {
  const { dueASecond, atOneInstant, killedAtOneInstant, manyChannels, outstanding } = sizes;
  const many = `${manyChannels} Channels`;
  return {
    floor: SQLITE_FLOOR,
    post1: 'POST, 1 client',
    post64: `POST, ${sizes.clients} clients, ${sizes.workspaces} Workspaces`,
    due1: `${dueASecond} due a second, 1 Channel`,
    due96: `${dueASecond} due a second, ${many}`,
    instant2: `${atOneInstant} at one instant, 2 Channels`,
    instant96: `${atOneInstant} at one instant, ${many}`,
    kill1: `kill -9 amid ${dueASecond} due a second, 1 Channel`,
    kill96: `kill -9 amid ${dueASecond} due a second, ${many}`,
    burst96: `kill -9 amid ${killedAtOneInstant} at one instant, ${many}`,
    listFew: `page of 100, ${FEW_POSTS} Posts`,
    listMany: `page of 100, ${outstanding} Posts`,
    backlog: `POST, 1 client, ${outstanding} outstanding`,
    syncs: 'syncs of a lone Post',
    memory: 'memory',
  } as const;
}

export type RowKey = keyof ReturnType<typeof rowNames>;
