import { expect, test } from 'vitest';
import { emptyDraft } from './draft/compose-draft.ts';
import { refusalWords, submitWords } from './submit-words.ts';

const draft = {
  ...emptyDraft('d', 0),
  channelIds: ['a', 'b', 'c'],
  options: { a: { placement: 'feed_and_story' }, gone: { placement: 'feed_and_story' } },
  when: { kind: 'at', date: '2026-11-24', time: '09:00', fold: 'earlier' },
} as const;

test('the button counts Variants and names the time in its zone', () => {
  expect(submitWords(draft, 'Europe/Berlin')).toBe('Schedule 4 Posts for Tue 24 Nov, 09:00 Europe/Berlin');
});

test('the button says what else it would do', () => {
  const now = { ...draft, channelIds: ['b'], when: { kind: 'now' } } as const;
  expect(submitWords(now, 'UTC')).toBe('Publish 1 Post now');
  expect(submitWords({ ...draft, replaces: 'p' }, 'UTC')).toBe('Replace with 4 Posts for Tue 24 Nov, 09:00 UTC');
  const night = { ...draft, when: { ...draft.when, date: '2026-03-29', time: '02:30' } } as const;
  expect(submitWords(night, 'Europe/Berlin')).toBe('Schedule 4 Posts');
});

test('a draft that was changed after its Post was made is not said to have made none', () => {
  expect(refusalWords('post_refused', false)).toEqual({ title: 'The Post was not made.', words: null });
  const { title, words } = refusalWords('idempotency_key_reused', false);
  expect([title, words]).toEqual([
    expect.stringContaining('had been made'),
    expect.stringContaining('in the calendar'),
  ]);
});
