import { carriesHashOf } from '#domain/post/workspace-hash.ts';
import type { TableStore } from '#ports/table-store.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import { readPostContent } from '#tables/repositories/posts.ts';
import { listWorkspaceIds } from '#tables/repositories/workspaces.ts';

const WORKSPACES_A_PAGE = 5_000;
const READS_AT_ONCE = 32;

/**
 * The Workspace that a Post is in; null: none has it. Only the Post's own rows name its Workspace, and those are kept
 * by Workspace and day: a row by the Post's id would cost every Post a write. The id carries a hash that one Workspace
 * in 4,096 has, so one row is asked for of those, and the ids of the others are only gone through: 20 pages and some 25
 * reads where there are 100,000. The id of an earlier release carries none: when no Workspace of the hash has the Post,
 * all others are asked, which takes some seconds there. Rejects with `PortError`.
 */
export async function findWorkspaceOf(store: TableStore, postId: string): Promise<string | null> {
  return (
    (await search(store, postId, (workspaceId) => carriesHashOf(postId, workspaceId))) ??
    (await search(store, postId, (workspaceId) => !carriesHashOf(postId, workspaceId)))
  );
}

async function search(
  store: TableStore,
  postId: string,
  among: (workspaceId: string) => boolean,
): Promise<string | null> {
  let found: string | null = null;
  let after: string | null = null;
  do {
    const page = await listWorkspaceIds(store, { after, limit: WORKSPACES_A_PAGE });
    await parallelMap(READS_AT_ONCE, page.ids.filter(among), async (workspaceId) => {
      if (found === null && (await readPostContent(store, workspaceId, postId)) !== null) found = workspaceId;
    });
    after = page.next;
  } while (found === null && after !== null);
  return found;
}
