import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readPosts } from './read-posts.ts';

const CHANNELS = [
  { id: 'c-x', name: 'Acme', network: 'x' },
  { id: 'c-threads', name: 'Acme', network: 'threads' },
  { id: 'c-insta', name: 'Acme, the shop', network: 'instagram' },
  { id: 'c-tube', name: 'Acme films', network: 'youtube' },
  { id: 'c-tok', name: 'acme.tok', network: 'tiktok' },
];
const OPTIONS = { channels: CHANNELS, zone: 'Europe/Berlin' };
const read = (text: string, options: Partial<Parameters<typeof readPosts>[1]> = {}) =>
  readPosts(text, { ...OPTIONS, ...options });
const posts = (text: string, options: Partial<Parameters<typeof readPosts>[1]> = {}) =>
  read(text, options).rows.map(({ post, problems }) => post ?? problems);

test('a row becomes the body of a request', () => {
  const [post] = posts(
    [
      'text,channels,scheduled_at,media,alt_texts,first_comment,idempotency_key',
      '"Hello, ""you""",Acme films|x,2026-12-01 09:00,https://a.test/1.jpg https://a.test/2.jpg,One|Two,First!,mine',
    ].join('\n'),
  );
  expect(post).toEqual({
    text: 'Hello, "you"',
    channelIds: ['c-tube', 'c-x'],
    scheduledAt: '2026-12-01T08:00:00.000Z',
    media: [
      { url: 'https://a.test/1.jpg', altText: 'One' },
      { url: 'https://a.test/2.jpg', altText: 'Two' },
    ],
    channelOptions: { 'c-x': { firstComment: 'First!' }, 'c-tube': { firstComment: 'First!' } },
    idempotencyKey: 'mine',
  });
});

test.each([
  ['commas', 'text,channels\nHi,x'],
  ['semicolons', 'text;channels\nHi;x'],
  ['semicolons below an empty line', '\r\ntext;channels\r\nHi;x'],
  ['tabs', 'text\tchannels\nHi\tx'],
  ['a BOM', '\uFEFFtext,channels\nHi,x'],
  ['line ends of Windows', 'text,channels\r\nHi,x\r\n'],
  ['line ends of old Macs', 'text,channels\rHi,x\r'],
  ['quoted headers', '"text","channels"\n"Hi","x"'],
  ['empty lines', '\ntext,channels\n\nHi,x\n\n,\n'],
])('files with %s are read', (_what, text) => {
  expect(posts(text)).toMatchObject([{ text: 'Hi', channelIds: ['c-x'] }]);
});

test.each([
  ['ours, in capitals and spaces', 'Text,CHANNELS,Scheduled At', 'Hi,x,2026-12-01 09:00'],
  ['of Hootsuite', 'Date,Time,Message,Link,Social Profile', '12/31/2026,9:00 AM,Hi,,x'],
  ['of Buffer', 'Text,Image URL,Tags,Posting Time,Channel', 'Hi,,,2026-12-01 09:00,x'],
  ['of others', 'Content;Scheduled Date;Post Time;Timezone;Platform', 'Hi;31.12.2026;9:00;UTC;x'],
])('headers %s are understood', (_whose, header, row) => {
  const [post] = posts(`${header}\n${row}`);
  expect(post).toMatchObject({ text: 'Hi', channelIds: ['c-x'], scheduledAt: expect.stringMatching(/^2026-12-/) });
});

test('a moment with a time and a time of another column are refused, unless both say the same', () => {
  const rows = posts(
    [
      'text,channels,scheduled date,time',
      'Hi,x,2026-12-01 00:00:00,09:00',
      'Hi,x,2026-12-01 09:00,9:00 AM',
      'Ho,x,2026-12-02T08:00:00Z,09:00',
      'Hu,x,2026-12-02,09:00',
    ].join('\n'),
  );
  expect(rows).toMatchObject([
    [{ column: 'scheduled date', message: 'There is a time here and another one in time. Leave one of them out' }],
    { scheduledAt: '2026-12-01T08:00:00.000Z' },
    { scheduledAt: '2026-12-02T08:00:00.000Z' },
    { scheduledAt: '2026-12-02T08:00:00.000Z' },
  ]);
});

test('a text keeps its line breaks, and a formula is a text like any other', () => {
  const rows = posts('text,channels\r\n"one\r\ntwo",x\r\n"=cmd|\'/c calc\'!A1",x\r\n+1+1,x');
  expect(rows).toMatchObject([{ text: 'one\r\ntwo' }, { text: "=cmd|'/c calc'!A1" }, { text: '+1+1' }]);
});

test('each problem names its row as a spreadsheet counts, and its column; the other rows are read', () => {
  const file = read(
    [
      'Message,Channels,When,Photos',
      '"fine',
      'over two lines",x,2026-12-01 09:00,',
      '',
      'lost,Akme films,2026-13-01 09:00,http://a.test/1.jpg',
      'gone,,,',
      'many,Acme,2026-12-01,',
      'over,x,2026-12-01 09:00,,surplus',
    ].join('\n'),
  );
  expect(file.rows.map(({ post }) => post !== null)).toEqual([true, false, false, false, false]);
  expect(
    file.rows.flatMap(({ problems }) => problems.map(({ row, column, message }) => [row, column, message])),
  ).toEqual([
    [4, 'Channels', 'There is no Channel "Akme films". Did you mean Acme films?'],
    [4, 'When', '2026-13-01 09:00 is in no calendar. Write it as 2026-12-01 09:00'],
    [4, 'Photos', 'http://a.test/1.jpg is not https: files are fetched from https addresses only'],
    [5, 'Channels', 'It names no Channel'],
    [6, 'Channels', '"Acme" names 2 Channels. Write x:Acme or threads:Acme'],
    [6, 'When', '"2026-12-01" is no time. Write 2026-12-01 09:00, or with a zone 2026-12-01T09:00Z'],
    [7, null, 'There are more cells than columns ("surplus"). Quote texts that have commas'],
  ]);
});

test('columns of one kind are joined, and files on this machine are paths', () => {
  const [post] = posts('text,channels,image 1,image_2,alt\nHi,x,pictures/a b.jpg,https://a.test/2.jpg,|second');
  expect(post).toMatchObject({
    media: [{ path: 'pictures/a b.jpg' }, { url: 'https://a.test/2.jpg', altText: 'second' }],
  });
});

test('an option goes to the Networks that have it, or to the one Network or Channel that its column names', () => {
  const [post] = posts(
    [
      'text,channels,title,Privacy,made for kids,instagram.text,acme.tok: allow duet,Acme films.cover,tags',
      'Hi,all,A film,public,no,On Instagram,yes,1.5s,"one, two"',
    ].join('\n'),
  );
  expect((post as { channelOptions: object }).channelOptions).toEqual({
    'c-tube': {
      title: 'A film',
      privacy: 'public',
      madeForKids: false,
      cover: { atSeconds: 1.5 },
      tags: ['one', 'two'],
    },
    'c-tok': { title: 'A film', privacy: 'public', allowDuet: true },
    'c-insta': { text: 'On Instagram' },
  });
});

test('a link column joins the text, unless it is there already', () => {
  const rows = posts('text,link,channels\nHi,https://a.test/,x\nat https://a.test/,https://a.test/,x');
  expect(rows).toMatchObject([{ text: 'Hi\n\nhttps://a.test/' }, { text: 'at https://a.test/' }]);
});

test('a link that only begins an address of the text joins it', () => {
  const [other, same] = posts(
    'text,link,channels\nOn https://a.test/shop today,https://a.test/,x\n(see https://a.test/).,https://a.test/,x',
  );
  expect(other).toMatchObject({ text: 'On https://a.test/shop today\n\nhttps://a.test/' });
  expect(same).toMatchObject({ text: '(see https://a.test/).' });
});

test('a second column of texts that is empty adds no line break', () => {
  const rows = posts('message,post,channels,media\nHi,,x,\n,,x,https://a.test/1.jpg\none,two,x,');
  expect(rows).toMatchObject([{ text: 'Hi' }, { text: '' }, { text: 'one\ntwo' }]);
});

test('an alternative text that would be of no file is refused, not left out', () => {
  const [row] = posts('text,channels,image 1,alt,image 2,alt text\nHi,x,,,https://a.test/2.jpg,The second');
  expect(row).toMatchObject([{ column: 'alt', message: 'There are 2 texts for 1 files' }]);
});

test('columns that mean nothing are reported, with what they may have been meant to be', () => {
  const { ignored, rows } = read('text,channels,shceduled_at,mood\nHi,x,2026-12-01 09:00,good');
  expect(ignored).toEqual([
    { header: 'shceduled_at', nearest: 'scheduledat' },
    { header: 'mood', nearest: null },
  ]);
  expect(rows[0]!.post).not.toHaveProperty('scheduledAt');
});

test('a column of options for a Channel that there is not is reported, not passed over in silence', () => {
  const { ignored } = read(
    'text,channels,instagarm.text,Acme flims: title,threads.text,ACME.TOK.title\nHi,all,a,b,c,d',
  );
  expect(ignored).toEqual([
    { header: 'instagarm.text', nearest: 'instagram.text' },
    { header: 'Acme flims: title', nearest: 'Acme films.title' },
  ]);
});

test.each([
  ['', 'The file is empty'],
  ['what,channels\nHi,x', 'No column holds the texts'],
  ['text\nHi', 'No column names the Channels'],
  ['text,channels\n"Hi,x', 'A quote that begins a cell is never closed'],
  ['text,channels\nsay "hi,x', 'A quote stands inside a cell'],
  [`text,channels\n${'Hi,x\n'.repeat(10_001)}`, 'Split it into several'],
])('a file that can not be read says why', (text, why) => {
  expect(read(text)).toMatchObject({ rows: [], problems: [{ message: expect.stringContaining(why) }] });
});

test('days with slashes are understood when one of the file tells the order, else they are refused', () => {
  const of = (...dates: string[]) =>
    posts(`text,channels,at\n${dates.map((date, i) => `${i},x,${date} 09:00`).join('\n')}`);
  expect(of('3/4/2026', '31/4/2026'.replace('31', '30'))).toMatchObject([
    { scheduledAt: '2026-04-03T07:00:00.000Z' },
    { scheduledAt: '2026-04-30T07:00:00.000Z' },
  ]);
  expect(of('3/4/2026', '4/30/2026')).toMatchObject([
    { scheduledAt: '2026-03-04T08:00:00.000Z' },
    { scheduledAt: '2026-04-30T07:00:00.000Z' },
  ]);
  expect(of('3/4/2026')).toMatchObject([[{ column: 'at', message: expect.stringContaining('two different days') }]]);
});

test('a row has the same key in any file and place; another batch, or another word, gives another', () => {
  const key = (text: string, options = {}) => read(text, options).rows.at(-1)!.post!.idempotencyKey;
  const one = key('text,channels\nHi,x');
  expect(key('channels;text\nx;Other\nx;Hi')).toBe(one);
  expect(key('text,channels\nHi!,x')).not.toBe(one);
  expect(key('text,channels\nHi,x', { batch: 'again' })).not.toBe(one);
  expect(one).toMatch(/^csv-[0-9a-f]{28}$/);
});

test('a row that repeats another is refused, as it would be the same Post', () => {
  const [, second] = posts('text,channels\nHi,x\nHi,x');
  expect(second).toMatchObject([{ row: 3, message: 'It repeats row 2. Remove it, or change its text or time' }]);
});

test('Channels for rows that name none', () => {
  expect(posts('text\nHi', { channelIds: ['c-x'] })).toMatchObject([{ channelIds: ['c-x'] }]);
});

test('10,000 rows are read, every one with a key of its own', () => {
  const rows = Array.from({ length: 10_000 }, (_, index) => `"Post ${index}\nof many",Acme films;x,2026-12-01 09:00`);
  const file = read(`text,channels,at\n${rows.join('\n')}`);
  expect(new Set(file.rows.map(({ post }) => post!.idempotencyKey)).size).toBe(10_000);
});

test('nothing of Node is imported', () => {
  for (const name of ['read-posts', 'read-row', 'columns', 'written-time', 'wall-time', 'row-key', 'channel-names'])
    expect(readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8')).not.toMatch(/from 'node:/);
});

test('a header of a megabyte is compared with no name of a column, which would take minutes', () => {
  const before = process.threadCpuUsage();
  const header = 'x'.repeat(1_000_000);
  expect(read(`text,channels,${header}\nHi,x,`).ignored).toEqual([{ header, nearest: null }]);
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
