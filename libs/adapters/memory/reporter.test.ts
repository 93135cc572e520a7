import { reporterSuite } from '#port-suites/reporter.ts';
import { expect, test } from 'vitest';
import { createMemoryReporter } from './reporter.ts';

test('events are kept in order, failures among them, until cleared', () => {
  const reporter = createMemoryReporter();
  const error = new Error('boom');
  reporter.report('post-created', { postId: 'p' });
  reporter.failure('turn-failed', error, { workspaceId: 'w' });
  reporter.report('post-created');
  expect(reporter.of('post-created')).toEqual([
    { event: 'post-created', facts: { postId: 'p' } },
    { event: 'post-created', facts: {} },
  ]);
  expect(reporter.failures()).toEqual([{ event: 'turn-failed', facts: { workspaceId: 'w' }, error }]);
  expect(reporter.events).toHaveLength(3);
  reporter.clear();
  expect(reporter.events).toEqual([]);
});

reporterSuite('memory reporter', () => {
  const reporter = createMemoryReporter();
  const told = () =>
    reporter.events.map((each) => ({
      event: each.event,
      facts: each.facts,
      error: 'error' in each ? inWords(each.error) : null,
    }));
  return { reporter, told };
});

/** The memory reporter keeps the very thing; what it says is the test's question, and may have no answer. */
function inWords(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'it has no words';
  }
}
