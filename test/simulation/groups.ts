import {
  MEDIA_JOBS,
  MEDIA_REMOVALS,
  PUBLISH,
  TIMERS,
  WEBHOOK_DELIVERIES,
  WORKSPACE_COMMANDS,
  WORKSPACE_EVENTS,
  type Topic,
} from '#tables/declarations/topics.ts';
import { rolesWith, type Part, type SimulatedRole } from './roles.ts';
import { partitionsOf } from './world.ts';

/** Consumers of one topic, which share its partitions. */
export interface Group {
  readonly name: string;
  readonly role: SimulatedRole;
  readonly topic: string;
  readonly partitions: number;
}

const GROUPS: readonly Group[] = [
  groupOf('workspace', 'workspace', WORKSPACE_COMMANDS),
  groupOf('scheduler', 'scheduler', TIMERS),
  groupOf('publisher-x', 'publisher', PUBLISH.x),
  groupOf('publisher-threads', 'publisher', PUBLISH.threads),
  groupOf('webhooks', 'webhooks', WORKSPACE_EVENTS),
  groupOf('webhook-deliveries', 'webhooks', WEBHOOK_DELIVERIES),
  groupOf('media', 'media', MEDIA_JOBS),
  groupOf('media-removals', 'media', MEDIA_REMOVALS),
];

/** Those of a world. */
export function groupsOf(parts: readonly Part[]): readonly Group[] {
  const roles = rolesWith(parts);
  return GROUPS.filter(({ role }) => roles.includes(role));
}

function groupOf(name: string, role: SimulatedRole, topic: Topic): Group {
  return { name, role, topic: topic.name, partitions: partitionsOf(topic) };
}
