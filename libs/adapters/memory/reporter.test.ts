import { expect, test } from 'vitest';
import { createMemoryReporter } from './reporter.ts';

test('events are kept in order, failures among them, until cleared', () => {
  const reporter = createMemoryReporter();
  const error = new Error('boom');
  reporter.report('post-created', { postId: 'p' });
  reporter.failure('turn-failed', error, { workspaceId: 'w' });
  reporter.report('post-created');
  expect(reporter.of('post-created')).toEqual([{ event: 'post-created', facts: { postId: 'p' } }, { event: 'post-created', facts: {} }]);
  expect(reporter.failures()).toEqual([{ event: 'turn-failed', facts: { workspaceId: 'w' }, error }]);
  expect(reporter.events).toHaveLength(3);
  reporter.clear();
  expect(reporter.events).toEqual([]);
});
