import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { readPosts } from '#clients/csv/read-posts.ts';
import { readTime } from '#clients/csv/written-time.ts';
import { parseInstant } from '#schemas/http/instant.ts';
import { isTimeZone } from '#schemas/http/time-zone.ts';
import { fuzzTarget } from '../fuzz-target.ts';
import { mutatedText } from '../mutations.ts';

const CHANNELS = [
  { id: '01890000-0000-7000-8000-000000000001', network: 'x', name: 'Ada' },
  { id: '01890000-0000-7000-8000-000000000002', network: 'threads', name: 'Ada, of Threads' },
] as const;

const FILES = [
  readFileSync(new URL('../../../examples/import.csv', import.meta.url), 'utf8'),
  'text;channels;date;time;zone\n"Zwei\nZeilen";x;24.12.2026;9h00;Europe/Berlin\n',
  'Message\tProfiles\tScheduled at\tImage\n"a ""b"""\tx|threads\t12/31/2026 9:00 pm\thttps://a.test/b.png\n',
];

export const postsFiles = fuzzTarget<string>({
  name: 'posts-files',
  holds: 'a file of Posts is read row by row, or says in words what is wrong with it',
  cases: 800,
  open: async () => ({
    inputs: mutatedText(fc.constantFrom(...FILES)),
    crashes: { 'a long header is compared with every name of a column': `text,${'x'.repeat(60_000)}\na,b\n` },
    sizeOf: (text) => text.length,
    // Files are read in the browser and by the command line, up to 10,000 rows at once.
    allowedMs: 1_000,
    check: (text) => {
      const { rows, problems } = readPosts(text, { channels: CHANNELS, zone: 'Europe/Berlin' });
      for (const { post, problems: ofRow } of rows) {
        assert.equal(post === null, ofRow.length > 0, 'a row is a Post, or says why it is none');
        if (post?.scheduledAt !== undefined) assert(parseInstant(post.scheduledAt) !== null, post.scheduledAt);
      }
      for (const { message } of problems) assert(message.length > 0 && message.length < 10_000 + text.length);
    },
  }),
});

const TIMES = [
  ...['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.123456789+05:30', '2026-10-25 02:30', '31/12/2026 9pm'],
  ...['24.12.2026 09.00', '2026-12-01 9:00 am Europe/Berlin', '1970-01-01T00:00Z', '9999-12-31T23:59:59.999-23:59'],
];
const LAST_INSTANT = 253_402_300_799_999;

export const times = fuzzTarget<{ readonly text: string; readonly zone: string }>({
  name: 'times',
  holds: 'a text is an instant of the calendar that can be written back, or none',
  cases: 3_000,
  open: async () => ({
    inputs: fc.record({
      text: mutatedText(fc.constantFrom(...TIMES)),
      zone: fc.oneof(
        fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu'),
        mutatedText(fc.constant('Europe/Berlin')),
      ),
    }),
    crashes: {
      'clocks of a zone show an instant before all time': { text: '1970-01-01 00:30', zone: 'Europe/Berlin' },
      'clocks of a zone show an instant after all time': { text: '9999-12-31 23:30', zone: 'America/New_York' },
      'a second has thousands of digits': { text: `2026-12-01T09:00:00.${'9'.repeat(30_000)} a b`, zone: 'UTC' },
    },
    sizeOf: ({ text, zone }) => text.length + zone.length,
    check: ({ text, zone }) => {
      const instant = parseInstant(text);
      if (instant !== null) {
        assert(Number.isSafeInteger(instant) && instant >= 0 && instant <= LAST_INSTANT, `it is ${instant}`);
        assert.equal(parseInstant(new Date(instant).toISOString()), instant);
      }
      isTimeZone(zone);
      for (const slashOrder of ['unknown', 'day first', 'month first'] as const) {
        const reading = readTime(text, { zone, slashOrder });
        if (reading.ok)
          assert(parseInstant(new Date(reading.instant).toISOString()) === reading.instant, `${reading.instant}`);
        else assert(reading.message !== '');
      }
    },
  }),
});
