import { expect, test } from 'vitest';
import { createSeededIds } from '#adapters/memory/ids.ts';
import { instantOf, isPostId } from './ids.ts';
import { carriesHashOf, newPostId } from './workspace-hash.ts';

const NOW = Date.UTC(2026, 10, 20, 12);

test('ids of one Workspace and one millisecond are Posts’ ids of that instant, ascend, and carry its hash alone', () => {
  const ids = createSeededIds(7);
  const workspaces = Array.from({ length: 50 }, () => ids.uuid7(NOW - 1));
  for (const workspaceId of workspaces) {
    const made = Array.from({ length: 300 }, () => newPostId(ids.uuid7(NOW), workspaceId));
    expect(new Set(made).size).toBe(made.length);
    expect(made).toEqual(made.toSorted());
    expect(made.every((id) => isPostId(id) && instantOf(id) === NOW && carriesHashOf(id, workspaceId))).toBe(true);
    const alike = workspaces.filter((other) => carriesHashOf(made[0]!, other));
    // Two of fifty may have the same hash by chance.
    expect(alike.length).toBeLessThan(3);
  }
});
