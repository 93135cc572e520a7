import { expect, test } from 'vitest';
import type { Scripted } from '#testing/scripted-network.ts';
import { createTikTokChoices } from './choices.ts';
import { API, creator, pathsOf, refusal, work } from './tiktok.fixture.ts';

const read = async (scripted: Scripted) => {
  const { publication, asked } = work([], [scripted]);
  return { answer: await createTikTokChoices({ api: API }).read(publication), asked };
};

test('an account may choose what TikTok says of its creator, in the words of the API', async () => {
  const { answer, asked } = await read(creator({ creator_nickname: 'Ada L.', comment_disabled: true }));
  expect(answer).toMatchObject({
    kind: 'ok',
    choices: {
      nickname: 'Ada L.',
      privacy: ['public', 'friends', 'only_me'],
      longestVideoSeconds: 300,
      allowComments: false,
      allowDuet: false,
      allowStitch: true,
    },
  });
  expect(pathsOf(asked)).toEqual(['POST /v2/post/publish/creator_info/query/']);
});

test('what TikTok leaves out is left out, and a level that is new to us is no choice', async () => {
  const { answer } = await read(
    creator({ privacy_level_options: ['FOLLOWER_OF_CREATOR', 'NEW_LEVEL'], max_video_post_duration_sec: undefined }),
  );
  expect(answer).toMatchObject({ kind: 'ok', choices: { privacy: ['followers'] } });
  expect(answer).not.toHaveProperty('choices.longestVideoSeconds');
  expect(answer).not.toHaveProperty('choices.nickname');
});

test.each<[string, Scripted, object]>([
  ['a dead token', refusal(401, 'access_token_invalid'), { kind: 'refused', summary: { status: 401 } }],
  ['a missing scope', refusal(401, 'scope_not_authorized'), { kind: 'refused' }],
  ['too many posts of the day', refusal(403, 'spam_risk_too_many_posts'), { kind: 'unavailable' }],
  ['a limit', refusal(429, 'rate_limit_exceeded'), { kind: 'unavailable' }],
  ['trouble', refusal(500, 'internal_error', 'about act.secret'), { kind: 'unavailable' }],
  ['no connection', { cut: 'before' }, { kind: 'unavailable', summary: { status: 0 } }],
])('%s leaves the choices unknown', async (_name, scripted, expected) => {
  const { answer } = await read(scripted);
  expect(answer).toMatchObject(expected);
  expect(JSON.stringify(answer)).not.toContain('act.secret');
});
