import { expect, it } from 'vitest';
import { aWorkspace, RULES, type Scenario } from '#testing/scenario.ts';
import { renderPost } from '../post/render.ts';
import { outcomeOf, type OutcomeBody } from './events.ts';

function published(): { workspace: Scenario; postId: string } {
  const workspace = aWorkspace();
  workspace.channel('x');
  workspace.channel('threads');
  return { workspace, postId: workspace.post() };
}

function lastOutcome(workspace: Scenario): OutcomeBody {
  const effect = workspace.effects.findLast(({ kind }) => kind === 'outcome');
  if (effect?.kind !== 'outcome') throw new Error('no outcome');
  return outcomeOf(effect, { channels: workspace.workspace.channels, mediaUrl: RULES.mediaUrl });
}

it('an outcome carries the Variant and its Post as they are at that moment', () => {
  const { workspace, postId } = published();
  workspace.now += 5;
  workspace.succeed(postId, 2);
  const body = lastOutcome(workspace);
  const post = renderPost(workspace.postOf(postId), workspace.workspace.channels, RULES.mediaUrl);
  expect(body).toEqual({
    id: body.id,
    type: 'variant.published',
    createdAt: new Date(workspace.now).toISOString(),
    data: { variant: post.variants[1], post },
  });
  expect(body.data.variant.permalink).toBe('https://example.test/remote');
});

it('its id is a UUID, the same however often it is made, and another for each Variant, attempt and type', () => {
  const { workspace, postId } = published();
  const ids: string[] = [];
  workspace.fail(postId, 1);
  ids.push(lastOutcome(workspace).id);
  expect(lastOutcome(workspace).id).toBe(ids[0]);
  workspace.fail(postId, 2);
  ids.push(lastOutcome(workspace).id);
  workspace.retry(postId, 1);
  workspace.settle();
  workspace.fail(postId, 1);
  ids.push(lastOutcome(workspace).id);
  workspace.retry(postId, 1);
  workspace.settle();
  workspace.succeed(postId, 1);
  ids.push(lastOutcome(workspace).id);
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it('a Variant without an outcome has no event', () => {
  const { workspace, postId } = published();
  expect(() =>
    outcomeOf(
      { post: workspace.postOf(postId), variant: 1, at: workspace.now },
      { channels: workspace.workspace.channels, mediaUrl: RULES.mediaUrl },
    ),
  ).toThrow('no outcome');
});
