import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textOf } from './exchange.ts';
import { signInPage } from './facebook/facebook.fixture.ts';
import { signInInstagram } from './instagram/instagram.fixture.ts';
import { createBench, signInThreads, signInX } from './sandbox.fixture.ts';
import { signInTiktok } from './tiktok/tiktok.fixture.ts';
import { signInYoutube } from './youtube/youtube.fixture.ts';

const PATHS = [
  '/', '/sandbox/items', '/sandbox/faults', '/sandbox/timing', '/sandbox/limits', '/sandbox/calls', '/sandbox/accounts/1/revoke', '/sandbox/avatars/1.svg',
  '/sim/x/i/oauth2/authorize', '/sim/x/2/oauth2/token', '/sim/x/2/oauth2/revoke', '/sim/x/2/users/me', '/sim/x/2/tweets', '/sim/x/2/users/ID/tweets', '/sim/x/a/status/1',
  '/sim/threads/oauth/authorize', '/sim/threads/oauth/access_token', '/sim/threads/access_token', '/sim/threads/refresh_access_token', '/sim/threads/v1.0/me',
  '/sim/threads/v1.0/me/threads', '/sim/threads/v1.0/me/threads_publish', '/sim/threads/v1.0/me/threads_publishing_limit', '/sim/threads/v1.0/ID', '/sim/threads/@a/post/b',
  '/sim/x/2/media/upload', '/sim/x/2/media/upload/initialize', '/sim/x/2/media/upload/ID/append', '/sim/x/2/media/upload/ID/finalize', '/sim/x/2/media/metadata',
  '/sim/facebook/v25.0/dialog/oauth', '/sim/facebook/v25.0/oauth/access_token', '/sim/facebook/v25.0/debug_token', '/sim/facebook/v25.0/me', '/sim/facebook/v25.0/me/accounts',
  '/sim/facebook/v25.0/me/permissions', '/sim/facebook/v25.0/me/feed', '/sim/facebook/v25.0/me/photos', '/sim/facebook/v25.0/me/videos', '/sim/facebook/v25.0/me/video_reels',
  '/sim/facebook/v25.0/me/photo_stories', '/sim/facebook/v25.0/me/video_stories', '/sim/facebook/v25.0/me/stories', '/sim/facebook/v25.0/me/published_posts', '/sim/facebook/v25.0/ID',
  '/sim/facebook/video-upload/v25.0/ID', '/sim/facebook/1/posts/1', '/sim/facebook/reel/1', '/sim/facebook/stories/1',
  '/sim/instagram/oauth/authorize', '/sim/instagram/oauth/access_token', '/sim/instagram/access_token', '/sim/instagram/refresh_access_token', '/sim/instagram/v25.0/me',
  '/sim/instagram/v25.0/me/media', '/sim/instagram/v25.0/me/media_publish', '/sim/instagram/v25.0/me/stories', '/sim/instagram/v25.0/me/content_publishing_limit', '/sim/instagram/v25.0/ID',
  '/sim/instagram/ig-api-upload/v25.0/ID', '/sim/instagram/p/a/', '/sim/instagram/stories/a/1',
  '/sim/tiktok/v2/auth/authorize/', '/sim/tiktok/v2/oauth/token/', '/sim/tiktok/v2/oauth/revoke/', '/sim/tiktok/v2/user/info/', '/sim/tiktok/v2/post/publish/creator_info/query/',
  '/sim/tiktok/v2/post/publish/video/init/', '/sim/tiktok/v2/post/publish/content/init/', '/sim/tiktok/v2/post/publish/status/fetch/', '/sim/tiktok/v2/post/publish/cancel/',
  '/sim/tiktok/v2/video/list/', '/sim/tiktok/video/', '/sim/tiktok/@a/video/1',
  '/sim/youtube/o/oauth2/v2/auth', '/sim/youtube/token', '/sim/youtube/revoke', '/sim/youtube/youtube/v3/channels', '/sim/youtube/youtube/v3/videos', '/sim/youtube/youtube/v3/playlistItems',
  '/sim/youtube/upload/youtube/v3/videos', '/sim/youtube/v2/reports', '/sim/youtube/watch', '/sandbox/files/a',
];
const NAMES = ['client_id', 'redirect_uri', 'scope', 'state', 'account', 'account_name', 'auto_approve', 'decision', 'fields', 'since', 'until', 'limit', 'after', 'since_id', 'max_results', 'start_time',
  'pagination_token', 'creation_id', 'text', 'media_type', 'media', 'grant_type', 'refresh_token', 'code', 'network', 'accountId', 'factor', 'fault', 'call', 'count', '__proto__', 'constructor',
  'upload_phase', 'upload_session_id', 'file_size', 'video_id', 'photo_id', 'url', 'image_url', 'video_url', 'children', 'attached_media', 'published', 'is_published', 'alt_text', 'part', 'id', 'mine',
  'playlistId', 'uploadType', 'upload_id', 'post_info', 'source_info', 'publish_id', 'ids', 'startDate', 'endDate', 'metrics', 'dimensions', 'filters', 'client_key', 'client_secret', 'command', 'media_id'];
const VALUES = ['', '0', '-1', 'NaN', 'code', 'x', 'threads', 'me', 'TEXT', 'constructor', '__proto__', '\u0000', '\ud800', '%', '1e9', '99999999999999999999', 'https://a.com', 'refresh_token', 'authorization_code', 'id,status'];

const word = fc.oneof(fc.constantFrom(...VALUES), fc.string({ unit: 'binary', maxLength: 40 }));
const name = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...NAMES) }, { weight: 1, arbitrary: word });
const fields = fc.array(fc.tuple(name, word), { maxLength: 6 });
const path = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PATHS) }, { weight: 1, arbitrary: fc.array(word, { maxLength: 5 }).map((parts) => `/sim/x/${parts.join('/')}`) });
const body = fc.oneof(
  fields.map((entries) => ({ type: 'application/x-www-form-urlencoded', raw: entries.map((entry) => entry.join('=')).join('&') })),
  fc.dictionary(name, fc.oneof(word, fc.jsonValue())).map((value) => ({ type: 'application/json', raw: JSON.stringify(value) })),
  fc.jsonValue().map((value) => ({ type: 'application/json', raw: JSON.stringify(value) })),
  word.map((raw) => ({ type: 'text/plain', raw })),
);

test('whatever is sent, an answer comes that the sandbox meant: a 500 only in the Graph envelope', async () => {
  const bench = createBench();
  const signedIn = [await signInX(bench), await signInThreads(bench), await signInPage(bench), await signInInstagram(bench), await signInTiktok(bench), await signInYoutube(bench)];
  const tokens = [...signedIn.map(({ token }) => token), 'dead', ''];
  const request = fc.record({ method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT', 'get', '__proto__'), path, query: fields, body, token: fc.constantFrom(...tokens) });
  await fc.assert(
    fc.asyncProperty(request, async ({ method, path, query, body, token }) => {
      const url = query.length === 0 ? path : `${path}?${query.map((entry) => entry.join('=')).join('&')}`;
      const got = await bench.outcome(method, url, { token, raw: body.raw, headers: { 'content-type': body.type } });
      if ('cut' in got) return;
      expect(got.status).toBeGreaterThanOrEqual(200);
      if (got.headers['content-type']?.startsWith('application/json')) JSON.parse(textOf(got));
      if (got.status >= 500) expect([10, 190]).toContain(JSON.parse(textOf(got)).error.code);
    }),
    { numRuns: 4_000 },
  );
});
