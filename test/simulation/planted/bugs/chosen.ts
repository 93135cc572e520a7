import type { BugsOfRoom } from '../planted-bug.ts';
import { HOLDS_AND_DEATHS, OVERLAPS } from '../fault-plans.ts';

const REFRESH = 'libs/connections/token-refresh.ts';

export const CHOSEN: BugsOfRoom = {
  room: 'chosen in code without any',
  chosenBy:
    'In code that no other planted bug touches: each chosen by reading the code, not its tests, for the mistake that is most believable and does most harm, before it was known whether a check notices it.',
  bugs: [
    {
      name: 'A store write of unknown end counts as done when there is a row',
      edits: [
        {
          file: 'libs/tables/rows/replace-row.ts',
          find: "if (row?.token === write.next.token) return 'made';",
          replace: "if (row !== null && row.version >= write.next.version) return 'made';",
        },
      ],
      suite: 'libs/tables/repositories/conditional-rows.test.ts',
    },
    {
      name: 'Posts cached under an earlier load of the Workspace are used',
      edits: [
        {
          file: 'services/workspace/post-cache.ts',
          find: 'return entry?.load === load ? entry.post : null;',
          replace: 'return load === null ? null : (entry?.post ?? null);',
        },
      ],
      faults: OVERLAPS,
    },
    {
      name: 'A new owner does not read what of its Workspaces is held',
      edits: [
        {
          file: 'services/workspace/held-releases.ts',
          find: 'ownersChanged(shards: ReadonlySet<number>): void { for (const shard of shards) this.#unread.add(shard);',
          replace: 'ownersChanged(shards: ReadonlySet<number>): void {',
        },
      ],
      faults: HOLDS_AND_DEATHS,
    },
    {
      name: 'A decision that a pause made old is written all the same',
      edits: [
        {
          file: 'services/workspace/actor.ts',
          find: 'if (turn === null || isStale) return again();',
          replace: 'if (turn === null || (isStale && turn.handled < 0)) return again();',
        },
      ],
      suite: 'services/workspace/actor.test.ts',
    },
    {
      name: 'Timers of a shard that was lost and assigned anew are acknowledged for the new owner',
      edits: [
        {
          file: 'services/scheduler/service.ts',
          find: "if (owned?.shard !== shard || this.#mode === 'stopped') return;",
          replace: "if (owned === undefined || this.#mode === 'stopped') return;",
        },
        {
          file: 'services/scheduler/service.ts',
          find: 'const upTo = owned.tracker.done(offset);',
          replace: 'const upTo = offset;',
        },
      ],
      suite: 'services/scheduler/service.test.ts',
    },
    {
      name: 'A list shows a Post at the end of a slice without its other Variants',
      edits: [{ file: 'libs/tables/repositories/post-list.ts', find: 'if (!ended) groups.pop();', replace: '' }],
      suite: 'libs/tables/repositories/post-list.test.ts',
    },
    {
      name: 'A process spends a refresh token while another one does',
      edits: [
        {
          file: REFRESH,
          find: 'if (waitMs > 0) {',
          replace: "if (waitMs > 0 && refresh.state !== 'claimed') {",
        },
      ],
      suite: 'libs/connections/connections.test.ts',
    },
    {
      name: 'A refreshed pair of tokens replaces the newer one of a reconnect',
      edits: [
        {
          file: REFRESH,
          find: 'if (over === null || over.pair !== claimed.pair) return await this.#asStored(channelId, claimed.pair);',
          replace: 'if (over === null) return await this.#asStored(channelId, claimed.pair);',
        },
      ],
      suite: 'libs/connections/connections.test.ts',
    },
    {
      name: 'The comment under a Variant has its arm in the row of the Variant',
      edits: [
        {
          file: 'services/publisher/publish/comment-attempts.ts',
          find: 'ledgerId: commentLedgerId(message.variantId)',
          replace: 'ledgerId: message.variantId',
        },
      ],
      suite: 'services/publisher/publish/comment-attempts.test.ts',
    },
    {
      name: 'The body of a large event is void before the event is sent',
      edits: [
        {
          file: 'services/workspace/actor.ts',
          find: 'rows: [...rows, ...voidEventBodies(over?.pending ?? null)]',
          replace: 'rows: [...rows, ...voidEventBodies(pending)]',
        },
      ],
      suite: 'services/workspace/sizes.test.ts',
    },
    {
      name: 'A Variant that waits for its allowance keeps its place after it got it',
      edits: [
        {
          file: 'services/publisher/publish/throttle.ts',
          find: 'line?.leave(variantId); return null;',
          replace: 'return null;',
        },
      ],
      suite: 'services/publisher/publish/throttle.test.ts',
    },
    {
      name: 'A purchase of credits counts each time it is reported',
      edits: [
        {
          file: 'libs/domain/workspace/decide/plan.ts',
          find: 'if (purchaseId !== undefined && state.purchases?.[purchaseId] !== undefined) return done(state);',
          replace: '',
        },
      ],
      suite: 'libs/domain/workspace/decide/plan.test.ts',
    },
    {
      name: 'The tokens of a Disconnect are not ended when the Network could not be asked at first',
      edits: [
        {
          file: 'services/publisher/upkeep/upkeep-service.ts',
          find: "if (ended.kind !== 'unavailable') return;",
          replace: 'if (ended.kind.length > 0) return;',
        },
      ],
      suite: 'services/publisher/upkeep/upkeep-service.test.ts',
    },
    {
      name: 'A Post of a leading clock counts as created after the backup',
      edits: [
        {
          file: 'libs/domain/restoration.ts',
          find: '<= backupAt + MAX_APART_MS',
          replace: '<= backupAt + MAX_APART_MS / 12',
        },
      ],
      suite: 'services/publisher/publish/restored.test.ts',
    },
    {
      name: 'A retry right after a release counts as what was due before it',
      edits: [
        {
          file: 'services/publisher/publish/after-restore.ts',
          find: 'const isBefore = released === null || job.dueAt <= released.at;',
          replace: 'const isBefore = wasDueMeanwhile(restoration, job.dueAt);',
        },
      ],
      suite: 'services/publisher/publish/restored.test.ts',
    },
    {
      name: 'After a restore two Variants name the same item',
      edits: [
        {
          file: 'services/publisher/publish/search.ts',
          find: 'return !(await liveItems.isNamed(key, { workspaceId: job.workspaceId, at, but: job.variantId }));',
          replace: 'return true;',
        },
      ],
      suite: 'services/publisher/publish/search.test.ts',
    },
  ],
};
