import { describe, expect, test } from 'vitest';
import { NETWORKS, type Network } from '#domain/network.ts';
import { createNetworks, sandboxEndpoints } from '#networks/registry.ts';
import { multipart } from '#networks/http/multipart.ts';
import { ADAPTER_DIFFERENCES } from './differences.ts';
import type { VendorRequest } from './request-content.ts';
import { assertVendorRequest, vendorProblems } from './vendor-requests.ts';

const json = (url: string, body: object, method = 'POST'): VendorRequest => ({
  method,
  url,
  headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
  body: JSON.stringify(body),
});
const form = (url: string, fields: Readonly<Record<string, string>>): VendorRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});
const get = (url: string): VendorRequest => ({ method: 'GET', url });
const file = { fileName: 'f', contentType: 'application/octet-stream', bytes: new Uint8Array(3), boundary: 'parted' };
const parts = (url: string, fields: Readonly<Record<string, string>>, field: string): VendorRequest => {
  const { contentType, body } = multipart(fields, { ...file, field });
  return { method: 'POST', url, headers: { 'content-type': contentType }, body };
};

const INSERT = '/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status';
const SESSION_HEADERS = { 'X-Upload-Content-Length': '9', 'X-Upload-Content-Type': 'video/mp4' };
const insert = (body: object): VendorRequest => {
  const request = json(INSERT, body);
  return { ...request, headers: { ...request.headers, ...SESSION_HEADERS } };
};
const tiktokInit = (more: object): VendorRequest =>
  json('/v2/post/publish/video/init/', {
    post_info: { title: 'a', privacy_level: 'SELF_ONLY', disable_comment: true, ...more },
    source_info: { source: 'FILE_UPLOAD', video_size: 9, chunk_size: 9, total_chunk_count: 1 },
  });

const RIGHT: readonly (readonly [Network, VendorRequest])[] = [
  ['x', json('/2/tweets', { text: 'a', media: { media_ids: ['1'] }, reply_settings: 'following' })],
  ['youtube', insert({ snippet: { title: 'a', tags: ['b'] }, status: { privacyStatus: 'public' } })],
  ['facebook', json('/v25.0/77/feed', { message: 'a', attached_media: [{ media_fbid: '1' }], published: false })],
  ['instagram', form('/v25.0/178/media', { image_url: 'https://m.test/1.jpg', caption: 'a', alt_text: 'b' })],
  ['threads', form('/v1.0/178/threads', { media_type: 'TEXT', text: 'a', reply_control: 'mentioned_only' })],
  ['tiktok', tiktokInit({ disable_duet: true })],
];

test.each(RIGHT)('%s has nothing against a request of its documents', (network, request) => {
  expect(vendorProblems(network, request)).toEqual([]);
});

/** One wrong name for each Network, in a request that is right otherwise. */
const PLANTED: readonly (readonly [Network, string, VendorRequest])[] = [
  ['x', 'replysettings', json('/2/tweets', { text: 'a', replysettings: 'following' })],
  ['youtube', 'status.madeForKidsDeclared', insert({ snippet: { title: 'a' }, status: { madeForKidsDeclared: true } })],
  ['facebook', 'attached_medias', json('/v25.0/77/feed', { message: 'a', attached_medias: [] })],
  ['instagram', 'thumbnail_offset', form('/v25.0/178/media', { media_type: 'REELS', thumbnail_offset: '9' })],
  ['threads', 'topic', form('/v1.0/178/threads', { media_type: 'TEXT', text: 'a', topic: 'b' })],
  ['tiktok', 'post_info.disable_comments', tiktokInit({ disable_comments: true })],
];

test('a wrong name is planted for every Network', () => {
  expect(PLANTED.map(([network]) => network).toSorted()).toEqual(NETWORKS.toSorted());
});

test.each(PLANTED)('%s does not have %s', (network, name, request) => {
  expect(vendorProblems(network, request)).toEqual([`"${name}" is nothing that the vendor has`]);
  expect(() => assertVendorRequest(network, request, ADAPTER_DIFFERENCES)).toThrow(`${network} documents`);
});

describe('what a vendor does not have is named', () => {
  test.each<[string, Network, VendorRequest, string]>([
    ['a path', 'x', json('/2/posts', { text: 'a' }), 'x has no such path'],
    ['a method', 'x', json('/2/tweets', {}, 'PUT'), 'this path has GET, POST only'],
    [
      'a field of the upload in one call',
      'x',
      parts('/2/media/upload', { media_category: 'tweet_image', media_type: 'image/png' }, 'media'),
      '"media_type" is nothing that the vendor has',
    ],
    [
      'a file that is missing',
      'x',
      parts('/2/media/upload', { media_category: 'tweet_image' }, 'bytes'),
      '"media" is required',
    ],
    ['a body where there is none', 'x', json('/2/media/upload/1/finalize', {}), 'there is no body in this call'],
    ['a body that is missing', 'x', { method: 'POST', url: '/2/tweets' }, 'a body is required'],
    ['a content type', 'x', form('/2/tweets', { text: 'a' }), 'and should be application/json'],
    ['a value outside', 'x', json('/2/tweets', { reply_settings: 'everyone' }), 'should be one of following'],
    ['a wrong type', 'x', json('/2/tweets', { made_with_ai: 'true' }), 'should be a boolean'],
    ['a selected field', 'x', get('/2/users/1/tweets?post.fields=created_at,note_tweet'), 'should be one of article'],
    ['a parameter', 'youtube', get('/youtube/v3/videos?part=status&ids=1'), '"ids" is nothing that the vendor has'],
    ['a part', 'youtube', get('/youtube/v3/videos?part=state&id=1'), 'should be one of ageGating'],
    ['a required one', 'youtube', get('/youtube/v3/playlistItems?playlistId=UU1'), '"part" is required'],
    [
      'a header',
      'youtube',
      json(INSERT, { snippet: { title: 'a' } }),
      'the header x-upload-content-length is required',
    ],
    ['a field of an object', 'facebook', get('/v25.0/7?fields=id,permalink'), 'selects permalink'],
    ['a field inside', 'facebook', get('/v25.0/77/published_posts?fields=attachments{target{name}}'), 'selects name'],
    ['a phase', 'facebook', json('/v25.0/77/video_reels', { upload_phase: 'begin' }), 'should be one of FINISH'],
    ['a field of the other', 'threads', get('/v1.0/1?fields=id,status_code'), 'selects status_code'],
    ['a grant', 'threads', get('/access_token?grant_type=x&client_secret=s&access_token=t'), 'th_exchange_token'],
    ['a level', 'tiktok', tiktokInit({ privacy_level: 'FRIENDS' }), 'should be one of FOLLOWER_OF_CREATOR'],
    ['a scope of fields', 'tiktok', get('/v2/user/info/?fields=open_id,name'), 'should be one of avatar_large_url'],
  ])('%s', (_what, network, request, words) => {
    expect(vendorProblems(network, request).join('; ')).toContain(words);
  });
});

test.each([
  ['id,name,picture.type(large){url},tasks', 'me/accounts'],
  ['id,attachments{target{id},subattachments{target{id}}}', '77/published_posts'],
  ['status,published,permalink_url,post_id,length', '9'],
])('fields are read as a tree: %s', (fields, path) => {
  expect(vendorProblems('facebook', get(`/v25.0/${path}?${new URLSearchParams({ fields })}`))).toEqual([]);
});

test('what no Network has is not a request to one', () => {
  expect(() => assertVendorRequest(null, get('https://n.test/'))).not.toThrow();
});

test.each(NETWORKS)('%s is asked for consent as it documents', (network) => {
  const auth = createNetworks(sandboxEndpoints('http://sandbox.test')).auths[network]!;
  const url = auth.authorizeUrl({ redirectUri: 'https://crier.test/back', state: 's', verifier: 'v'.repeat(43) });
  expect(() => assertVendorRequest(network, get(url))).not.toThrow();
});
