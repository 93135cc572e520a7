import { expect, test } from 'vitest';
import { reporterSuite } from '#port-suites/reporter.ts';
import { createMemoryReporter } from './reporter.ts';

test('events are kept in order, failures among them, until cleared', () => {
  const reporter = createMemoryReporter();
  const error = new Error('boom');
  reporter.report('sandbox-started', { address: 'a' });
  reporter.failure('outbox-clear-failed', error, { workspaceId: 'w' });
  reporter.report('sandbox-started', { address: 'b' });
  expect(reporter.of('sandbox-started')).toEqual([
    { event: 'sandbox-started', facts: { address: 'a' } },
    { event: 'sandbox-started', facts: { address: 'b' } },
  ]);
  expect(reporter.failures()).toEqual([{ event: 'outbox-clear-failed', facts: { workspaceId: 'w' }, error }]);
  expect(reporter.events).toHaveLength(3);
  reporter.clear();
  expect(reporter.events).toEqual([]);
});

reporterSuite('memory reporter', () => {
  const reporter = createMemoryReporter();
  const lines = () =>
    reporter.events.map((each) => ({
      event: each.event,
      facts: each.facts,
      error: 'error' in each ? messageOf(each.error) : null,
    }));
  return { reporter, lines };
});

/** The memory reporter keeps the error itself, which may be no Error and may throw when it is made a string. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'no message';
  }
}
