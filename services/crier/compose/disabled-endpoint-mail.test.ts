import { expect, test } from 'vitest';
import { createMemoryClock } from '#adapters/memory/clock.ts';
import { createMemoryTableStore } from '#adapters/memory/table-store.ts';
import { PERMISSIONS } from '#domain/workspace/state.ts';
import type { Mail } from '#ports/mailer.ts';
import { WORKSPACES } from '#tables/declarations/tables.ts';
import { HEAD } from '#tables/repositories/workspaces.ts';
import { replacing } from '#tables/rows/replace-row.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { createDisabledEndpointMail } from './mail.ts';

test('the Member behind a disabled endpoint and the owners are mailed, and no others; the endpoint is no link', async () => {
  const workspace = aWorkspace();
  const store = createMemoryTableStore({ clock: createMemoryClock() });
  const editor = workspace.member('editor', 'Behind it');
  workspace.member('editor', 'Another');
  const left = workspace.member('owner', 'Left');
  workspace.must({ type: 'RemoveMember', memberId: left });
  const keyId = workspace.uuid();
  const key = { keyId, memberId: editor, name: 'a key', permissions: PERMISSIONS, tokenHash: 'h' };
  workspace.must({ type: 'CreateKey', ...key });
  const endpointId = workspace.uuid();
  const url = 'https://hooks.test/in';
  workspace.must({
    ...{ type: 'RegisterEndpoint', endpointId, url, events: ['variant.failed'], sealedSecret: 's' },
    credential: { kind: 'key', keyId },
  });
  const head = { over: null, value: { state: workspace.workspace, pending: null }, token: 't' };
  await store.compareAndSet(WORKSPACES, replacing([workspace.id], HEAD, head));

  const mails: Mail[] = [];
  const work: (() => Promise<void>)[] = [];
  const queue = {
    addForWorkspace: (_workspace: string, one: () => Promise<void>) => (work.push(one), null),
    send: async (mail: Mail) => (mails.push(mail), null),
  };
  const about = { workspaceId: workspace.id, endpointId, url, since: 0, error: 'The endpoint answered 500.' };
  createDisabledEndpointMail({ store }, queue, 'https://crier.test')(about);
  await work[0]!();

  const { members } = workspace.workspace;
  const owner = Object.values(members)[0]!;
  expect(mails.map(({ to }) => to)).toEqual([owner.email, members[editor]!.email]);
  for (const words of ['The endpoint answered 500.', '1 January 1970', 'https://crier.test/app/webhooks'])
    expect(mails[0]!.text).toContain(words);
  expect(mails[0]!.html).not.toContain(`href="${url}`);
});

test('without a mail server nothing is mailed, and nothing fails', () => {
  const store = createMemoryTableStore({ clock: createMemoryClock() });
  const tell = createDisabledEndpointMail({ store }, null, 'https://crier.test');
  expect(() =>
    tell({ workspaceId: 'w', endpointId: 'e', url: 'https://hooks.test/', since: 0, error: '' }),
  ).not.toThrow();
});
