import { z } from 'zod';
import { SentInstant } from '#schemas/http/scalars.ts';
import type { ApiProblem } from '#http-server/api-problem.ts';
import type { MemberProcedure } from './member-procedure.ts';
import { refused } from './procedure.ts';
import type { AccessWatch } from '../live/access-watch.ts';
import type { LiveChange } from '../live/live-change.ts';
import type { ChangeFeed } from '../live/change-feed.ts';
import { Handover } from '../live/handover.ts';
import type { ChangeSignal } from '../live/signal-queue.ts';

export interface EventProceduresOptions {
  readonly feed: Pick<ChangeFeed, 'subscribe' | 'missed'>;
  /** Ends pages of people who signed out, or are no Members any more. */
  readonly access: Pick<AccessWatch, 'watch'>;
  /** Aborted when this process takes no more requests: pages then connect to another one. */
  readonly ending: AbortSignal;
}

const MAX_STREAMS_OF_MEMBER = 200;

const TOO_MANY: ApiProblem = {
  code: 'limit_reached',
  message: 'Too many pages of this Workspace are open. Close some of them, and reload this one.',
};

/** Server-sent events of one Workspace, for as long as the page is open. */
export function eventProcedure(member: MemberProcedure, options: EventProceduresOptions) {
  const { feed, access, ending } = options;
  const open = new Map<string, number>();
  return member.subscription(async function* ({ ctx, signal }) {
    const { workspaceId } = ctx.call;
    const { memberId } = ctx.membership;
    const streams = open.get(memberId) ?? 0;
    if (streams >= MAX_STREAMS_OF_MEMBER) throw refused(TOO_MANY);
    open.set(memberId, streams + 1);
    const over = new AbortController();
    const ended = AbortSignal.any([over.signal, ending, ...(signal === undefined ? [] : [signal])]);
    const handover = new Handover();
    const unsubscribe = feed.subscribe(workspaceId, (signal) => handover.put(signal));
    const { accountId, sessionHash } = ctx.signedIn;
    const unwatch = access.watch({ accountId, sessionHash, workspaceId }, () => over.abort());
    try {
      while (!ended.aborted) {
        const signal = await handover.take(ended);
        if (signal !== null) yield shown(signal);
      }
    } finally {
      unwatch();
      unsubscribe();
      const left = (open.get(memberId) ?? 1) - 1;
      if (left === 0) open.delete(memberId);
      else open.set(memberId, left);
    }
  });
}

/** What changed of the Workspace since an instant that the server told, for a page that has subscribed by now. */
export function missedProcedure(member: MemberProcedure, { feed }: Pick<EventProceduresOptions, 'feed'>) {
  return member.input(z.object({ since: SentInstant })).query(async ({ ctx: { call }, input }) => {
    const signal = await feed.missed(call.workspaceId, input.since);
    return signal && shown(signal);
  });
}

function shown(signal: ChangeSignal): LiveChange {
  if (signal.kind === 'stale') return signal;
  const { postIds, channels } = signal;
  return { kind: 'changed', postIds: postIds === 'all' ? [] : postIds, channels, all: postIds === 'all' };
}
