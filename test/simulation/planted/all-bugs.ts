import { ACCESS } from './bugs/access.ts';
import { ADAPTERS } from './bugs/adapters.ts';
import { AUDITED } from './bugs/audited.ts';
import { BUCKETS } from './bugs/buckets.ts';
import { CHOSEN } from './bugs/chosen.ts';
import { CONSUMER_ROOM } from './bugs/consumer.ts';
import { MEDIA } from './bugs/media.ts';
import { MEMBERS_ROOM } from './bugs/members.ts';
import { NETWORKS } from './bugs/networks.ts';
import { PUBLISHER } from './bugs/publisher.ts';
import { RULES } from './bugs/rules.ts';
import { SCHEDULER } from './bugs/scheduler.ts';
import { USE_CASES } from './bugs/use-cases.ts';
import { WEBHOOKS } from './bugs/webhooks.ts';
import { WORKSPACE } from './bugs/workspace.ts';
import type { BugsOfRoom, PlantedBug } from './planted-bug.ts';

export const ROOMS: readonly BugsOfRoom[] = [
  WORKSPACE,
  BUCKETS,
  RULES,
  USE_CASES,
  SCHEDULER,
  PUBLISHER,
  NETWORKS,
  CONSUMER_ROOM,
  WEBHOOKS,
  MEDIA,
  ACCESS,
  MEMBERS_ROOM,
  CHOSEN,
  AUDITED,
  ADAPTERS,
];

export const ALL_BUGS: readonly PlantedBug[] = ROOMS.flatMap(({ bugs }) => bugs);
