import { describe, expect, test } from 'vitest';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { counts, event, observes } from './event.ts';
import { id, milliseconds, number, optional, text, word } from './fact.ts';
import { counter, histogram } from './metric.ts';

describe('a call that the catalogue does not declare is no TypeScript', () => {
  const reporter = createMemoryReporter();

  test('an unknown event', () => {
    // @ts-expect-error the catalogue has no such event
    reporter.report('turn-lots', { workspaceId: 'w', version: 1 });
    // @ts-expect-error turn-lost is no failure
    reporter.failure('turn-lost', new Error('x'), { workspaceId: 'w', version: 1 });
    // @ts-expect-error engine-unavailable comes with an error
    reporter.report('engine-unavailable');
    // @ts-expect-error a test can't wait for an event that no code reports
    expect(reporter.of('turn-lots')).toHaveLength(1);
  });

  test('a wrong fact', () => {
    // @ts-expect-error a fact is missing
    reporter.report('turn-lost', { workspaceId: 'w' });
    // @ts-expect-error all facts are missing
    reporter.report('turn-lost');
    // @ts-expect-error version is a number
    reporter.report('turn-lost', { workspaceId: 'w', version: '1' });
    // @ts-expect-error turn-lost has no fact turn
    reporter.report('turn-lost', { workspaceId: 'w', version: 1, turn: 2 });
    // @ts-expect-error myspace is no Network
    reporter.report('circuit-breaker-opened', { network: 'myspace', detail: '' });
    // @ts-expect-error job is required
    reporter.failure('housekeeping-failed', new Error('x'));
    // @ts-expect-error engine-unavailable has no facts
    reporter.failure('engine-unavailable', new Error('x'), { engine: 'kafka' });
    expect(reporter.events).not.toEqual([]);
  });

  test('optional facts may be left out, null or undefined', () => {
    reporter.failure('request-failed', new Error('x'));
    reporter.failure('request-failed', new Error('x'), { operation: 'list-posts', requestId: undefined });
    reporter.report('pool-saturated', { pool: 'uploads', limit: 'all', workspaceId: null });
    expect(reporter.of('request-failed')).toHaveLength(2);
  });
});

describe('a feed that does not fit its event is no TypeScript', () => {
  const total = counter('crier_things_total', 'Things', ['network', 'status_class']);
  const plain = counter('crier_plain_total', 'Things without labels');
  const seconds = histogram('crier_thing_seconds', 'Duration of things', [1]);
  const network = word('x', 'threads');

  test('a label takes the fact of its name, which must be bounded', () => {
    const about = { level: 'info', help: 'It happened' } as const;
    const facts = { network, statusClass: word('2xx') };
    const fed = event({ ...about, facts, feeds: [counts(total)] });
    expect(fed.feeds[0]?.labels).toEqual({ network: { fact: 'network' }, status_class: { fact: 'statusClass' } });
    const constants = { status_class: '2xx' };
    const constant = event({ ...about, facts: { network }, feeds: [counts(total, { constants })] });
    expect(constant.feeds[0]?.labels).toEqual({ network: { fact: 'network' }, status_class: { constant: '2xx' } });
    // @ts-expect-error an id can't label a metric
    event({ ...about, facts: { network, statusClass: id }, feeds: [counts(total)] });
    // @ts-expect-error a text can't label a metric
    event({ ...about, facts: { network, statusClass: text }, feeds: [counts(total)] });
    // @ts-expect-error a number can't label a metric
    event({ ...about, facts: { network, statusClass: number }, feeds: [counts(total)] });
    // @ts-expect-error the event has no fact statusClass
    event({ ...about, facts: { network }, feeds: [counts(total)] });
    // @ts-expect-error the metric has no such label
    counts(total, { constants: { reason: 'none' } });
  });

  test('a value is a number, a condition a bounded fact', () => {
    const facts = { tookMs: milliseconds, bytes: optional(number), detail: text, network };
    const feeds = [observes(seconds, 'tookMs'), counts(plain, { value: 'bytes', when: ['network', 'x'] })];
    expect(event({ level: 'info', help: 'It happened', facts, feeds }).feeds).toHaveLength(2);
    // @ts-expect-error a text can't be observed
    event({ level: 'info', help: 'It happened', facts, feeds: [observes(seconds, 'detail')] });
    // @ts-expect-error the event has no such fact
    event({ level: 'info', help: 'It happened', facts, feeds: [counts(plain, { value: 'rows' })] });
    // @ts-expect-error a text is no condition
    event({ level: 'info', help: 'It happened', facts, feeds: [counts(plain, { when: ['detail', 'x'] })] });
  });
});
