import { describe, expect, test } from 'vitest';
import type { TableStore } from '#ports/table-store.ts';
import { keepOperatorCall, listOperatorCalls, type OperatorCall, type OperatorCallFilter } from './operator-calls.ts';
import type { TwoStores } from './two-stores.fixture.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 10, 20, 12);

const callAt = (at: number, more: Partial<OperatorCall> = {}): OperatorCall => ({
  ...{ id: `call-${at}`, at, actor: 'ada', procedure: 'keys.create', workspaceId: 'w', outcome: 'done' },
  ...more,
});

/** What any store has to make true of the calls of operators. `open` gives two ways to the same tables. */
export function operatorCalls(name: string, open: () => Promise<TwoStores>): void {
  const list = (store: TableStore, more: Partial<OperatorCallFilter> = {}) =>
    listOperatorCalls(store, { workspaceId: null, from: NOW - 30 * DAY_MS, to: NOW, before: null, limit: 10, ...more });

  describe(name, () => {
    test('calls are listed as they were kept, newest first, by Workspace and by time, each once over pages', async () => {
      const { stores, close } = await open();
      const [writer, reader] = stores;
      try {
        const others = { workspaceId: null, procedure: 'oauth.rotateKeys' };
        const calls = [
          callAt(NOW),
          callAt(NOW - 1, { id: 'b', ...others }),
          callAt(NOW - 1, { id: 'a' }),
          callAt(NOW - DAY_MS),
          callAt(NOW - 9 * DAY_MS, others),
        ];
        for (const call of calls.toReversed()) await keepOperatorCall(writer, call);
        expect(await list(reader)).toEqual({ calls, more: false });
        const ours = calls.filter(({ workspaceId }) => workspaceId === 'w');
        expect(await list(reader, { workspaceId: 'w' })).toEqual({ calls: ours, more: false });
        const window = { from: NOW - DAY_MS, to: NOW - 1 };
        expect(await list(reader, window)).toEqual({ calls: calls.slice(1, 4), more: false });
        const read: OperatorCall[] = [];
        for (let more = true; more;) {
          const page = await list(reader, { before: read.at(-1) ?? null, limit: 1 });
          read.push(...page.calls);
          more = page.more;
        }
        expect(read).toEqual(calls);
      } finally {
        await close();
      }
    });
  });
}
