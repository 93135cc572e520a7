import { expect, test } from 'vitest';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import type { Credential } from '#domain/workspace/request-envelope.ts';
import { aWorkspace, DAY, type Scenario } from '#testing/scenario.ts';
import { AUDIT } from '#tables/declarations/tables.ts';
import { auditRow, listAudit as readAudit } from '#tables/repositories/audit.ts';
import { BODY_FORMAT, encodeBody } from '#tables/rows/body.ts';
import { createAuditCursors, listAudit, MAX_PAGE_ENTRIES, type ListAuditInput } from './list-audit.ts';

const CURSORS = createAuditCursors('a secret of the installation');

/** What the caller sees of all that the scenario audited. */
async function list(workspace: Scenario, credential: Credential, input: ListAuditInput = {}) {
  const store = createMemoryTableStore();
  const rows = workspace.audit.map((entry) => {
    const { partition, clustering, value } = auditRow(workspace.id, entry);
    return { partition, clustering, body: encodeBody(value), format: BODY_FORMAT, timestamp: 1 };
  });
  await store.upsert(AUDIT, rows);
  return listAudit({ workspaceId: workspace.id, credential }, input, {
    workspaces: { state: async () => workspace.state },
    audit: (workspaceId, filter) => readAudit(store, workspaceId, filter),
    auditCursors: CURSORS,
    clock: { now: () => workspace.now },
  });
}

const ownerOf = (workspace: Scenario): Credential => ({
  kind: 'member',
  memberId: Object.keys(workspace.workspace.members)[0]!,
});

test('only an owner who is signed in sees the audit: by the state, whatever the caller says', async () => {
  const workspace = aWorkspace();
  const [editor, viewer, second] = [workspace.member('editor'), workspace.member('viewer'), workspace.member('owner')];
  const codes = async (credentials: readonly Credential[]) =>
    Promise.all(
      credentials.map(async (each) => {
        const outcome = await list(workspace, each);
        return outcome.ok ? 'ok' : outcome.problem.code;
      }),
    );
  const member = (memberId: string): Credential => ({ kind: 'member', memberId });
  const others: readonly Credential[] = [
    member(editor),
    member(viewer),
    { kind: 'key', keyId: workspace.key() },
    { kind: 'app', approvalId: workspace.approval() },
  ];
  expect(await codes([ownerOf(workspace), member(second)])).toEqual(['ok', 'ok']);
  expect(await codes(others)).toEqual(['forbidden', 'forbidden', 'forbidden', 'forbidden']);
  workspace.must({ type: 'ChangeMemberRole', memberId: second, role: 'editor' });
  expect(await codes([member(second)])).toEqual(['forbidden']);
  workspace.must({ type: 'RemoveMember', memberId: second });
  expect(await codes([member(second), member('nobody')])).toEqual(['unauthorized', 'unauthorized']);
});

test('pages follow one another by cursors that are of this Workspace and this installation', async () => {
  const workspace = aWorkspace();
  for (let count = 0; count < 5; count++) workspace.must({ type: 'RenameWorkspace', name: `name ${count}` });
  const owner = ownerOf(workspace);
  const seen: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await list(workspace, owner, { limit: 2, cursor });
    if (!page.ok) throw new Error(page.problem.message);
    seen.push(...page.value.entries.map(({ id }) => id));
    if (page.value.nextCursor === null) break;
    cursor = page.value.nextCursor;
  }
  expect(seen.toSorted()).toEqual(workspace.audit.map(({ id }) => id).toSorted());
  const place = { at: 1, id: 'a' };
  const bad = [
    CURSORS.seal(place, 'another Workspace'),
    createAuditCursors('another secret').seal(place, workspace.id),
    `${CURSORS.seal(place, workspace.id)}A`,
    'x',
    '',
  ];
  for (const cursor of bad)
    expect(await list(workspace, owner, { cursor })).toMatchObject({ ok: false, problem: { code: 'invalid_request' } });
});

test('a page is never longer than the longest', async () => {
  const workspace = aWorkspace();
  for (let count = 0; count <= MAX_PAGE_ENTRIES; count++)
    workspace.must({ type: 'RenameWorkspace', name: `name ${count}` });
  const page = await list(workspace, ownerOf(workspace), { limit: 1_000_000 });
  expect(page.ok && page.value.entries.length).toBe(MAX_PAGE_ENTRIES);
});

test('a Channel is called what it is called now: one whose account was erased, by no name of the account', async () => {
  const workspace = aWorkspace();
  const channelId = workspace.channel('threads', 'Private Person');
  const shown = async () => {
    const page = await list(workspace, ownerOf(workspace));
    if (!page.ok) throw new Error(page.problem.message);
    return page.value.entries.filter(({ subject }) => subject.id === channelId).map(({ subject }) => subject.name);
  };
  expect(await shown()).toEqual(['Private Person']);
  workspace.now += 1;
  const { id: workspaceId, now: requestedAt } = workspace;
  workspace.tell({ type: 'EraseAccount', workspaceId, channelId, requestedAt });
  expect(await shown()).toEqual(['Deleted threads account', 'Deleted threads account']);
});

test('instants are shown as everywhere, and the Channels of a Downgrade by name', async () => {
  const workspace = aWorkspace();
  const channels = Array.from({ length: 7 }, (_, index) => workspace.channel('threads', `Channel ${index}`));
  const effectiveAt = workspace.now + DAY;
  workspace.must({ type: 'SetPlan', plan: 'free', effectiveAt });
  workspace.post({ scheduledAt: effectiveAt, channelIds: channels.slice(0, 1) });
  workspace.advance(DAY);
  const page = await list(workspace, ownerOf(workspace));
  if (!page.ok) throw new Error(page.problem.message);
  const detailOf = (action: string) => page.value.entries.find((each) => each.action === action)?.detail;
  const instant = new Date(effectiveAt).toISOString();
  expect(detailOf('plan.change_scheduled')).toMatchObject({ effectiveAt: instant });
  expect(detailOf('post.created')).toMatchObject({ scheduledAt: instant });
  expect(detailOf('plan.changed')).toMatchObject({ disconnected: ['Channel 6'] });
  expect(page.value.entries[0]!.at).toBe(instant);
});

test('a filter by person, action and time shows all that passes it and nothing else, page by page', async () => {
  const workspace = aWorkspace();
  const ada = workspace.member('owner');
  const adaName = workspace.workspace.members[ada]!.name;
  const asAda: Credential = { kind: 'member', memberId: ada };
  const begin = workspace.now;
  for (let count = 0; count < 12; count++) {
    workspace.now += 60_000;
    workspace.must({ type: 'RenameWorkspace', name: `name ${count}`, ...(count % 4 === 0 && { credential: asAda }) });
    if (count % 3 === 0) workspace.must({ type: 'AddCredits', credits: 1 });
  }
  const all = async (input: ListAuditInput): Promise<readonly string[]> => {
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await list(workspace, ownerOf(workspace), { limit: 2, ...input, cursor: cursor ?? undefined });
      if (!page.ok) return expect.fail(page.problem.message);
      found.push(...page.value.entries.map(({ action, subject }) => `${action} ${subject.name}`));
      cursor = page.value.nextCursor;
    }
    return found;
  };
  const renamed = (...counts: readonly number[]) => counts.map((count) => `workspace.renamed name ${count}`);
  expect(await all({ memberName: adaName })).toEqual(renamed(8, 4, 0));
  expect(await all({ actions: ['credits.added'], from: begin + 1 })).toHaveLength(4);
  const [from, to] = [begin + 3 * 60_000, begin + 6 * 60_000];
  expect(await all({ from, to, actions: ['workspace.renamed'] })).toEqual(renamed(4, 3, 2));
  expect(await all({ actions: ['key.revoked'] })).toEqual([]);
});
