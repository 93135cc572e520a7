import type { Network } from '#domain/network.ts';
import type { SceneName } from './scenes.ts';

/** Clients of the agency, by what their Channels are called. */
export type Client = 'Nordlicht Coffee' | 'Hafen Books' | 'Studio Nord';

export interface PlannedPost {
  /** Of the month, and the time in the agency's zone. */
  readonly day: number;
  readonly time: string;
  readonly client: Client;
  readonly text: string;
  readonly networks: readonly Network[];
  /** Of its picture; `film`: a video. Absent: text alone. */
  readonly file?: SceneName | 'film';
  /** Default: a Member, by hand. */
  readonly by?: 'key' | 'app';
  /** What becomes of it, unless it is published in its time. */
  readonly fate?: 'refused' | 'limited' | 'cancelled' | 'revoked';
  readonly firstComment?: string;
}

export const CHANNELS: readonly (readonly [Client, readonly Network[]])[] = [
  ['Nordlicht Coffee', ['instagram', 'facebook', 'threads', 'x', 'tiktok', 'youtube']],
  ['Hafen Books', ['instagram', 'facebook', 'threads']],
  ['Studio Nord', ['x', 'threads']],
];

const post = (
  when: string,
  client: Client,
  networks: string,
  text: string,
  more: Omit<Partial<PlannedPost>, 'day' | 'time'> = {},
): PlannedPost => {
  const [day, time] = when.split(' ') as [string, string];
  return { day: Number(day), time, client, networks: networks.split(' ') as Network[], text, ...more };
};

const COFFEE = 'Nordlicht Coffee';
const BOOKS = 'Hafen Books';
const OWN = 'Studio Nord';
const SOCIAL = 'instagram facebook threads';

/** A month of Posts, by their time. */
export const MONTH: readonly PlannedPost[] = [
  post('1 09:00', COFFEE, SOCIAL, 'March begins with a new filter: washed Sidama, apricot and black tea.', {
    file: 'cup',
  }),
  post('1 17:30', OWN, 'x threads', 'We moved. Same harbour, two floors up, more daylight.'),
  post('2 10:00', BOOKS, SOCIAL, 'Five novels for a week of rain.', { file: 'books', by: 'key' }),
  post('2 12:15', COFFEE, 'x threads', 'Cupping on Thursday at six. Twelve places, no fee.'),
  post('3 09:00', COFFEE, SOCIAL, 'Behind the bar: how we dial in at seven in the morning.', { file: 'people' }),
  post('4 18:00', COFFEE, 'x threads', 'Tonight: cupping at six. Two places came free.', { by: 'app' }),
  post('4 09:30', BOOKS, SOCIAL, 'Signed copies of “The Ferry House” have arrived.', {
    file: 'books',
    firstComment: 'Ask for them at the desk, or write to us.',
  }),
  post('5 08:30', COFFEE, SOCIAL, 'Friday beans, roasted this morning.', { file: 'beans' }),
  post('5 16:00', OWN, 'x threads', 'What we learned from 1,000 captions: the first line does the work.'),
  post('6 10:00', COFFEE, 'instagram facebook', 'Saturday, window seat.', { file: 'window' }),
  post('7 11:00', BOOKS, SOCIAL, 'Sunday reading: one chapter, one pot of tea.', { file: 'plant', by: 'key' }),
  post('8 09:00', COFFEE, 'instagram facebook threads x', 'To all women who run roasteries: thank you.', {
    file: 'people',
  }),
  post('8 15:00', BOOKS, 'threads facebook', 'Our reading list for today, all by women from the coast.', { by: 'key' }),
  post('9 09:00', COFFEE, SOCIAL, 'Why our cups are heavy.', { file: 'cup' }),
  post('9 13:00', OWN, 'x threads', 'Hiring: an editor for short video, four days a week, Hamburg.', {
    fate: 'limited',
  }),
  post('10 10:00', BOOKS, SOCIAL, 'Staff pick: a lighthouse keeper’s diary.', { file: 'lighthouse' }),
  post('10 18:30', COFFEE, 'tiktok youtube', 'One minute in the roastery', { file: 'film' }),
  post('11 09:00', COFFEE, SOCIAL, 'A plant for every table. They grew.', { file: 'plant' }),
  post('11 17:00', OWN, 'x threads', 'Case study: how Hafen Books sold out a reading with three Posts.', { by: 'app' }),
  post('12 08:30', COFFEE, SOCIAL, 'Friday beans: Huila, natural.', { file: 'beans' }),
  post('12 12:00', BOOKS, SOCIAL, 'Reading on the 24th: Ida Sommer. Tickets at the desk.', {
    file: 'books',
    by: 'key',
  }),
  post('13 10:00', COFFEE, 'instagram facebook', 'Open until eight today.', { file: 'window', fate: 'cancelled' }),
  post('14 11:00', BOOKS, SOCIAL, 'Sunday reading: letters from the islands.', { file: 'lighthouse', by: 'key' }),
  post('15 08:00', COFFEE, 'instagram facebook threads x', 'Spring weeks begin: two bags, one price, until the 29th.', {
    file: 'sale',
    firstComment: 'In the shop and online.',
  }),
  post('15 09:00', BOOKS, SOCIAL, 'New on the table: twelve small publishers.', { file: 'books', by: 'key' }),
  post('15 12:30', OWN, 'x threads', 'Three questions to ask before you post about a sale.'),
  post('15 18:00', COFFEE, 'tiktok youtube x', 'How spring weeks look from behind the bar', {
    file: 'film',
    fate: 'refused',
  }),
  post('16 08:00', COFFEE, 'x threads', 'Good morning. Rain until ten, filter until six.', {
    by: 'app',
  }),
  post('16 09:00', COFFEE, SOCIAL, 'Tuesday is for the slow bar.', { file: 'cup' }),
  post('16 09:30', BOOKS, SOCIAL, 'Forty new paperbacks on the front table, and room to sit.', {
    file: 'books',
    by: 'key',
    fate: 'revoked',
  }),
  post('16 12:00', COFFEE, 'x threads', 'Lunch cupping, ten minutes, by the window.', { by: 'app' }),
  post('16 12:30', OWN, 'x threads', 'A calendar is a promise. Keep it short.'),
  post('16 17:00', COFFEE, SOCIAL, 'Two bags, one price. Ask for the Huila.', { file: 'beans' }),
  post('16 17:30', BOOKS, SOCIAL, 'Tonight at seven: the reading circle meets upstairs.', { file: 'people' }),
  post('17 09:00', COFFEE, SOCIAL, 'Meet Jonas, who roasts on Wednesdays.', { file: 'people' }),
  post('17 09:00', BOOKS, SOCIAL, 'Wednesday window: maps of the North Sea.', { file: 'lighthouse', by: 'key' }),
  post('17 09:00', OWN, 'x threads', 'Office hours today, ten to twelve. Ask us anything about planning.'),
  post('17 09:15', COFFEE, 'x threads', 'Cold brew is back on tap.', { by: 'app' }),
  post('17 09:30', BOOKS, 'threads facebook', 'Which book did you lend and never see again?', { by: 'key' }),
  post('17 18:00', COFFEE, 'tiktok youtube', 'Latte art, slowly', { file: 'film' }),
  post('18 09:00', COFFEE, SOCIAL, 'Window seats can be booked now.', { file: 'window' }),
  post('18 10:00', BOOKS, SOCIAL, 'Six days until Ida Sommer reads. A few tickets are left.', {
    file: 'books',
    by: 'key',
  }),
  post('18 16:00', OWN, 'x threads', 'We plan by week, and leave Thursday afternoon empty. On purpose.'),
  post('19 08:30', COFFEE, SOCIAL, 'Friday beans: back to Sidama.', { file: 'beans' }),
  post('19 11:00', BOOKS, SOCIAL, 'Weekend hours: ten to seven, coffee next door.', { file: 'plant', by: 'key' }),
  post('20 10:00', COFFEE, 'instagram facebook', 'First day of spring. Doors open.', { file: 'plant' }),
  post('21 11:00', BOOKS, SOCIAL, 'Sunday reading: poems for the first warm day.', { file: 'window', by: 'key' }),
  post('22 09:00', COFFEE, SOCIAL, 'Spring weeks, second half.', { file: 'sale' }),
  post('22 12:30', OWN, 'x threads', 'How we brief photographers: one page, three pictures, no adjectives.'),
  post('23 09:00', COFFEE, SOCIAL, 'Refill station: bring your jar.', { file: 'beans' }),
  post('23 17:00', BOOKS, 'instagram facebook threads', 'Tomorrow: Ida Sommer reads. Doors at half past six.', {
    file: 'people',
    by: 'key',
  }),
  post('24 10:00', BOOKS, SOCIAL, 'Today: Ida Sommer, upstairs, at seven.', { file: 'lighthouse', by: 'key' }),
  post('24 18:00', COFFEE, 'x threads', 'We pour for the reading at Hafen Books tonight.', { by: 'app' }),
  post('25 09:00', COFFEE, SOCIAL, 'New cups from the pottery in Altona.', { file: 'cup' }),
  post('26 08:30', COFFEE, SOCIAL, 'Friday beans: Nyeri, bright and short.', { file: 'beans' }),
  post('26 15:00', OWN, 'x threads', 'Month in numbers: 61 Posts, three clients, nobody worked on a Sunday.'),
  post('28 11:00', BOOKS, SOCIAL, 'The clocks changed. So did our window.', { file: 'window', by: 'key' }),
  post('29 09:00', COFFEE, 'instagram facebook threads x', 'Last day of spring weeks.', { file: 'sale' }),
  post('30 10:00', BOOKS, SOCIAL, 'Stocktaking: what 4,000 books weigh.', { file: 'books', by: 'key' }),
  post('31 09:00', COFFEE, SOCIAL, 'April filter, a first look.', { file: 'cup' }),
];
