import { expect, test } from 'vitest';
import type { Command } from '#domain/workspace/commands.ts';
import { aWorkspace } from '#testing/scenario.ts';
import { openWorkspaceHarness } from './workspace-harness.fixture.ts';

test('an owner that has just read a Post refuses to retry it without the file that had no room', async () => {
  const told: Command[] = [];
  const workspace = aWorkspace({ plan: 'free', onCommand: (command) => void told.push(command) });
  workspace.channel('x');
  const assetId = workspace.uuid();
  const inspected = { assetId, contentType: 'video/mp4', bytes: null, problem: null } as const;
  const postId = workspace.post({ media: [{ url: 'https://files.test/a.mp4', inspected }] });
  const file = { kind: 'video', contentType: 'video/mp4', sha256: 'a', width: 4, height: 4, durationMs: 9 } as const;
  const facts = { ...file, bytes: 2 * 1024 ** 3 };
  workspace.tell({ type: 'FileFetched', workspaceId: workspace.id, postId, assetId, facts, blob: 'a blob' });
  expect(workspace.variant(postId)).toMatchObject({ status: 'failed', failureReason: 'media_problem' });
  const retry = workspace.ask({ type: 'RetryVariant', variantId: workspace.variant(postId).id });

  const harness = openWorkspaceHarness();
  await harness.handle(harness.actor(workspace.id), told);
  await harness.handle(harness.actor(workspace.id), [retry]);
  expect(harness.answers.at(-1)?.result).toMatchObject({ ok: false, code: 'not_retryable' });
});
