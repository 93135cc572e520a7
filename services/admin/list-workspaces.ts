import { z } from 'zod';
import { isCanary } from '#domain/canary.ts';
import { accountIdOf, addressOf } from '#domain/account.ts';
import { parallelMap } from '#concurrency/parallel-map.ts';
import type { TableStore } from '#ports/table-store.ts';
import { listMemberships } from '#tables/repositories/memberships.ts';
import { listWorkspaceIds, readHead, type Head } from '#tables/repositories/workspaces.ts';
import { Email, isoOf } from './fields.ts';
import { procedure } from './procedure.ts';

const CURSOR = z.strictObject({ after: z.string() });

/** Where a page ended, in the words of the store or as an id, closed so that nobody builds on it. */
const Cursor = z.string().transform((given, context) => {
  try {
    return CURSOR.parse(JSON.parse(Buffer.from(given, 'base64url').toString())).after;
  } catch {
    context.addIssue('must be the nextCursor of a page');
    return z.NEVER;
  }
});

const cursorOf = (after: string): string => Buffer.from(JSON.stringify({ after })).toString('base64url');

interface WorkspacePage {
  readonly ids: readonly string[];
  readonly next: string | null;
}

const List = z
  .strictObject({
    /** Only those that this account is a Member of. */
    email: Email.optional(),
    /** The `nextCursor` of the page before. */
    cursor: Cursor.optional(),
    limit: z.int('must be a whole number').min(1).max(200).default(50),
  })
  .default({ limit: 50 });

const HEADS_AT_ONCE = 16;

/**
 * Every Workspace, page by page, in no order that means anything. A page costs its own Workspaces, however many there
 * are: no table lists them beside their heads, whose partitions are gone through in the order of the store. That of
 * the canary is no tenant's, and is left out.
 */
export function listWorkspaces(store: TableStore) {
  return procedure.input(List).query(async ({ input: { email, cursor = null, limit } }) => {
    const page = { after: cursor, limit };
    const { ids, next } =
      email === undefined ? await listWorkspaceIds(store, page) : await ofAccount(store, email, page);
    const heads = new Map<string, Head | null>();
    await parallelMap(HEADS_AT_ONCE, ids, async (id) => void heads.set(id, await readHead(store, id)));
    return {
      // An id may have had a first command that was refused: its partition holds the refusal and no head.
      items: ids
        .filter((id) => !isCanary(id))
        .flatMap((id) => heads.get(id) ?? [])
        .map(({ state }) => described(state)),
      nextCursor: next === null ? null : cursorOf(next),
    };
  });
}

/** In the order of their ids. */
async function ofAccount(
  store: TableStore,
  email: string,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<WorkspacePage> {
  const memberships = await listMemberships(store, accountIdOf(email));
  const ids = memberships
    .filter(({ removed, workspaceId }) => !removed && (after === null || workspaceId > after))
    .map(({ workspaceId }) => workspaceId);
  return { ids: ids.slice(0, limit), next: ids.length > limit ? ids[limit - 1]! : null };
}

function described({ id, name, plan, createdAt, members, channels }: Head['state']) {
  const present = Object.values(members).filter(({ removed }) => !removed);
  return {
    workspaceId: id,
    name,
    plan,
    createdAt: isoOf(createdAt),
    owners: present.filter(({ role }) => role === 'owner').map(addressOf),
    members: present.length,
    channels: Object.values(channels).filter(({ state }) => state !== 'not_connected').length,
  };
}
