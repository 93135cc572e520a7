import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOOLS } from '#schemas/http/tools.ts';
import { CrierUnderTest } from '#testing/crier-process.ts';
import { HeadlessPerson } from '#testing/headless-person.ts';
import { AppCredentials, Assistant, type ClientKind } from '#testing/mcp-clients.ts';
import { MEDIA_FIXTURES } from '#testing/media-fixtures.ts';
import { answer } from '#testing/misbehaving-receiver.ts';
import { startTrustedReceiver, type TrustedReceiver } from '#testing/trusted-receiver.ts';
import { until } from '#testing/until.ts';

const HOUR = 3_600_000;
const TOKEN_LIFE_MS = 15 * 60_000;

let site: TrustedReceiver;
let crier: CrierUnderTest;
beforeAll(async () => {
  site = await startTrustedReceiver({ name: 'assistant.test' });
  crier = await CrierUnderTest.start({ name: 'assistants', env: { ...site.settings } });
});
afterAll(async () => {
  await crier[Symbol.asyncDispose]();
  await site[Symbol.asyncDispose]();
});

/** A document by which an app describes itself, served where a process of Crier finds it. */
function documentOf(name: string, redirectUri: string): string {
  const url = `${site.receiver.url}client.json`;
  const body = JSON.stringify({
    client_id: url,
    client_name: name,
    redirect_uris: [redirectUri],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
  });
  site.receiver.behave(answer(200, { headers: { 'content-type': 'application/json' }, body }));
  return url;
}

async function uploaded(assistant: Assistant): Promise<string> {
  const { bytes, contentType } = MEDIA_FIXTURES.photo;
  const reserved = await assistant.call('create_media_upload', {
    filename: 'a photo.jpg',
    contentType,
    bytes: bytes.length,
  });
  const { assetId, uploadUrl } = reserved.structuredContent;
  const put = await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': contentType }, body: bytes });
  expect(put.status).toBe(204);
  const completed = await assistant.call('complete_media_upload', { assetId });
  expect(completed.structuredContent).toEqual({ assetId, kind: 'image', contentType, bytes: bytes.length });
  return assetId;
}

describe.each<{ kind: ClientKind; name: string; redirectUri: string; hasDocument?: true }>([
  { kind: 'of 2026-07-28', name: 'Claude Code', redirectUri: 'http://127.0.0.1:41234/callback' },
  {
    kind: 'of 2025-11-25',
    name: 'Claude',
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
    hasDocument: true,
  },
  { kind: 'of the former line', name: 'Cursor', redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback' },
])('an assistant with the client $kind', ({ kind, name, redirectUri, hasDocument }) => {
  test('discovers, is approved, uploads, schedules, cancels, asks for more, publishes and refreshes', async () => {
    const { channels } = crier.ready.demo!;
    const person = new HeadlessPerson(crier);
    const documentUrl = hasDocument && documentOf(name, redirectUri);
    const app = new AppCredentials({ person, name, redirectUri, ...(documentUrl && { documentUrl }) });
    await using assistant = new Assistant(kind, app, `${crier.ready.baseUrl}/mcp`);
    app.choice = { permissions: [] };
    await assistant.connect();
    expect([app.held.scope, app.clientId === documentUrl]).toEqual(['posts:schedule', hasDocument === true]);
    expect(await assistant.tools()).toEqual(TOOLS.map((tool) => tool.name));
    const listed = await assistant.call('list_channels');
    expect(listed.structuredContent.channels).toHaveLength(Object.keys(channels).length);

    const scheduled = await assistant.call('schedule_post', {
      text: `Later, by ${name}`,
      channelIds: [channels['instagram']],
      media: [{ assetId: await uploaded(assistant) }],
      scheduledAt: new Date(Date.now() + 24 * HOUR).toISOString(),
    });
    const { post } = scheduled.structuredContent;
    expect([post.via, post.variants[0].status]).toEqual([{ kind: 'app', name, by: expect.any(String) }, 'scheduled']);
    const cancelled = await assistant.call('cancel_post', { postId: post.id });
    expect(cancelled.structuredContent.post.variants[0].status).toBe('cancelled');

    const publish = { text: `Now, by ${name}`, channelIds: [channels['threads']] };
    app.choice = { permissions: ['posts:publish'] };
    if (kind === 'of the former line') {
      await expect(assistant.call('publish_now', publish)).rejects.toThrow(/403/);
      await assistant.askFor('posts:schedule posts:publish');
    }
    const published = (await assistant.call('publish_now', publish)).structuredContent.post;
    expect([app.authorizations.length, app.held.scope]).toEqual([2, 'posts:schedule posts:publish']);
    await until(
      async () =>
        (await assistant.call('get_post', { postId: published.id })).structuredContent.post.variants[0].status ===
        'published',
      {
        what: 'the Post published',
      },
    );

    const { access_token: before } = app.held;
    await crier.admin().advance(TOKEN_LIFE_MS + 1);
    const after = await assistant.call('list_posts', { limit: 1 });
    expect(after.structuredContent.posts[0].id).toBe(published.id);
    expect([app.held.access_token === before, app.authorizations.length, person.signIns]).toEqual([false, 2, 1]);
  });
});
