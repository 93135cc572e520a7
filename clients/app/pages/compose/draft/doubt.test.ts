import { expect, test } from 'vitest';
import { emptyDraft } from './compose-draft.ts';
import { adviceInDoubt, asRefused, asSent } from './doubt.ts';

const HOUR_MS = 3_600_000;
const draft = emptyDraft('d', 0);

test('after a day a draft in doubt is looked for, and not sent again as if that made no second Post', () => {
  const sent = asSent(0)(draft);
  expect(adviceInDoubt(sent, HOUR_MS)).toContain('no second one');
  // A word that was changed, or another try without an answer, begins no new day: the key is that of the first try.
  const later = { ...asSent(20 * HOUR_MS)(sent), savedAt: 20 * HOUR_MS };
  expect(adviceInDoubt(later, 24 * HOUR_MS)).toContain('Look in the calendar');
});

test('a refusal that came before the key was looked for leaves an earlier doubt as it was', () => {
  const [first, again] = [asSent(0)(draft), asSent(HOUR_MS)(asSent(0)(draft))];
  expect(asRefused(draft, 'unauthorized', 0)(first).isInDoubt).toBe(false);
  for (const code of ['unauthorized', 'forbidden', 'rate_limited'])
    expect(asRefused(first, code, HOUR_MS)(again)).toEqual(again);
});

test('a refusal by a Workspace that looked for the key ends the doubt, as long as keys are kept', () => {
  const sent = asSent(0)(draft);
  expect(asRefused(sent, 'post_refused', HOUR_MS)(sent)).toEqual(draft);
  expect(asRefused(sent, 'post_refused', 30 * HOUR_MS)(sent)).toEqual(sent);
});
