import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ownBlockers } from '../checks/blockers.ts';
import { submitWords } from '../submit-words.ts';
import { asNow, asTimed, chosenTime, dueAt, inZone } from './chosen-time.ts';
import { emptyDraft, type ChosenTime } from './compose-draft.ts';
import { copyOf, type PostDraft, type ShownPost } from './draft-of-post.ts';
import { postOf } from './post-of-draft.ts';

const [BERLIN, NEW_YORK] = ['Europe/Berlin', 'America/New_York'] as const;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const NINE: ChosenTime = { kind: 'at', date: '2026-11-24', time: '09:00', fold: 'earlier', zone: BERLIN };
const draft = (when: ChosenTime) => ({ ...emptyDraft('d', 0), channelIds: ['c'], when });

test('a draft whose time was chosen in another zone is sent, judged and described at the instant that was meant', () => {
  expect(postOf(draft(NINE), NEW_YORK).scheduledAt).toBe('2026-11-24T08:00:00.000Z');
  expect(submitWords(draft(NINE), NEW_YORK)).toBe('Schedule 1 Post for Tue 24 Nov, 03:00 America/New_York');
  const asked = { channels: [], timeZone: NEW_YORK, filesOnTheirWay: 0, failedFiles: [] };
  const judged = (when: ChosenTime, now: number) =>
    ownBlockers(draft(when), { ...asked, now }).map(({ message }) => message);
  expect(judged(NINE, Date.parse('2026-11-24T08:00:00Z'))).toEqual([]);
  expect(judged(NINE, Date.parse('2026-11-24T08:02:00Z'))).toEqual([expect.stringContaining('That time is over.')]);
  const skipped = { ...NINE, date: '2027-03-28', time: '02:30' };
  expect(judged(skipped, NOW)).toEqual([expect.stringContaining('There is no 02:30 in Europe/Berlin')]);
});

test('a draft of an older page, which says no zone, means the one that times are in now', () => {
  const { zone: _, ...bare } = NINE;
  expect(postOf(draft(bare), NEW_YORK).scheduledAt).toBe('2026-11-24T14:00:00.000Z');
  expect(inZone(bare, NEW_YORK)).toEqual({ ...bare, zone: NEW_YORK });
});

test('in whatever zone a time is shown then, it stays the same instant', () => {
  expect(inZone(NINE, NEW_YORK)).toEqual({ ...NINE, time: '03:00', zone: NEW_YORK });
  const zones = fc.constantFrom(BERLIN, NEW_YORK, 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC');
  const minutes = fc.integer({ min: NOW / 60_000, max: NOW / 60_000 + 2 * 365 * 1440 });
  fc.assert(
    fc.property(minutes, zones, zones, (minute, from, to) => {
      const shown = inZone(chosenTime(minute * 60_000, from), to);
      expect([shown.zone, dueAt(shown, 'Asia/Tokyo')]).toEqual([to, minute * 60_000]);
    }),
    { numRuns: 300 },
  );
});

test('a time that is in its zone already is left as it is, and one that is no instant yet keeps what was written', () => {
  expect(inZone(NINE, BERLIN)).toBe(NINE);
  const half = { ...NINE, time: '' };
  expect(inZone(half, NEW_YORK)).toEqual({ ...half, zone: NEW_YORK });
});

test('the draft of a Post says in which zone its time is written', () => {
  const written = { text: '', channelIds: [], channelOptions: {}, media: [], scheduledAt: NOW } as unknown as PostDraft;
  const options = { id: 'd', savedAt: 0, timeZone: BERLIN, shown: { variants: [] } as unknown as ShownPost };
  expect(copyOf(written, options, null).draft.when).toEqual({ ...NINE, date: '2026-11-23', time: '13:00' });
});

test('the time that was chosen is there again after a look at "Now", in the zone that times are in by then', () => {
  expect(asTimed(asNow(NINE), NOW, BERLIN)).toEqual(NINE);
  expect(asTimed(asNow(asNow(NINE)), NOW, NEW_YORK)).toEqual({ ...NINE, time: '03:00', zone: NEW_YORK });
  expect(postOf({ ...draft(NINE), when: asNow(NINE) }, BERLIN).scheduledAt).toBeUndefined();
});

test('where no time was chosen, the next full hour is offered', () => {
  const offered = { ...NINE, date: '2026-11-23', time: '14:00' };
  const none = asNow({ ...NINE, date: '', time: '' });
  expect([asTimed({ kind: 'now' }, NOW, BERLIN), asTimed(none, NOW, BERLIN)]).toEqual([offered, offered]);
});
