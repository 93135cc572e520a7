import { describe, expect, test } from 'vitest';
import { jsonAnswer, scriptedNetwork, type Scripted } from '#testing/scripted-network.ts';
import { graphProblemOf } from './answer.ts';
import { graphPostJson, unpublished } from './calls.ts';
import { judgeGraph } from './errors.ts';

const refusal = (status: number, code: number, more: object = {}) =>
  jsonAnswer(status, { error: { message: 'm', type: 'OAuthException', code, ...more } });

/** What an irreversible call that met `answer` comes to. */
async function outcomeOf(answer: Scripted) {
  const { http } = scriptedNetwork(answer);
  const called = await graphPostJson({ http, accessToken: 'token-1' }, 'https://graph.test/v25.0/1', {});
  return unpublished(called, (given) => judgeGraph([], 'any', graphProblemOf(given), given.headers), ['token-1']);
}

describe('the irreversible call', () => {
  test.each<[string, Scripted]>([
    ...[458, 459, 460, 463, 464, 467, 492].map((error_subcode): [string, Scripted] => [
      `190/${error_subcode}`,
      refusal(400, 190, { error_subcode }),
    ]),
    ['190 as HTTP 401', refusal(401, 190)],
    ['190 that calls itself passing', refusal(400, 190, { is_transient: true })],
    ['102', refusal(400, 102)],
    ['463 as the code', refusal(400, 463)],
    ['467 as the code', refusal(401, 467)],
  ])('certainly published nothing when the token was refused: %s', async (_name, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({
      kind: 'failed',
      failure: { reason: 'needs_reconnect', retry: 'refresh' },
    });
  });

  test.each<[string, Scripted]>([
    ['a refused token, as HTTP 500', refusal(500, 190)],
    ['a missing permission, as HTTP 500', refusal(500, 10)],
    ['a refused parameter, as HTTP 503', refusal(503, 100)],
    ['HTTP 401 without an error of the Network', { status: 401, headers: {}, body: '<html>' }],
    ['an error in an answer of HTTP 200', refusal(200, 190)],
    ['a lost answer', { cut: 'after' }],
  ])('may have published after %s', async (_name, answer) => {
    expect(await outcomeOf(answer)).toMatchObject({ kind: 'unknown' });
  });
});

describe('a refusal by code 200', () => {
  const judged = (message: string) =>
    judgeGraph([], 'any', graphProblemOf({ ...parsed, json: { error: { message, code: 200 } } }), {});
  const parsed = { kind: 'answered', status: 400, headers: {}, body: '' } as const;

  test.each(['API access blocked.', 'API access deactivated. To reactivate, go to the app dashboard.'])(
    'of the app itself is not the matter of a Channel: %s',
    (message) => {
      expect(judged(message)).toEqual({ reason: 'rejected_by_platform', retry: 'never', detail: message });
    },
  );

  test('of a permission is one', () => {
    expect(judged('(#200) Permissions error')).toMatchObject({ reason: 'needs_reconnect', retry: 'afterReconnect' });
  });
});
