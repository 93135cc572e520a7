import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Command } from '#domain/workspace/commands.ts';
import { TimeSlices } from '#concurrency/time-slice.ts';
import { listCalendar } from '#use-cases/list-calendar.ts';
import type { ApiCall } from '#use-cases/caller.ts';
import { DAY, HOUR } from '#testing/scenario.ts';
import { openIngressWorld, START } from '../ingress-harness.fixture.ts';

const ZONES = ['Europe/Berlin', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe', 'Africa/Cairo'];
/** What clocks of the zone show, `YYYY-MM-DD HH:MM`, as the platform writes it. */
const shownIn = (timeZone: string, at: number | string): string =>
  new Date(at).toLocaleString('sv-SE', { timeZone }).slice(0, 16);

/** How a person of that zone writes their offset at that instant, such as `+10:30`. */
function offsetAt(timeZone: string, at: number): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(at);
  const written = parts.find(({ type }) => type === 'timeZoneName')!.value.replace('GMT', '');
  return written === '' ? '+00:00' : written;
}

/** The local dates on which the zone changes its clocks within the next year: two nights. */
function nightsOf(timeZone: string): readonly string[] {
  const hours = Array.from({ length: 365 * 24 }, (_, hour) => START + hour * HOUR);
  return hours
    .filter((at) => offsetAt(timeZone, at) !== offsetAt(timeZone, at + HOUR))
    .map((at) => shownIn(timeZone, at + HOUR).slice(0, 10));
}

/** 09:00 of that date as a person there writes it; `days`: from the date. */
function nineOClock(timeZone: string, night: string, days: number) {
  const date = new Date(Date.parse(night) + days * DAY).toISOString().slice(0, 10);
  const offsets = [-1, 0, 1].map((half) => offsetAt(timeZone, Date.parse(`${date}T09:00:00Z`) + half * 14 * HOUR));
  const sent = offsets
    .map((offset) => `${date}T09:00:00${offset}`)
    .find((text) => shownIn(timeZone, Date.parse(text)) === `${date} 09:00`)!;
  return { date, sent };
}

const NIGHTS = ZONES.flatMap((zone) => nightsOf(zone).map((night) => [zone, night] as const));
/** The day after the change and those beside it. */
const EVERY = NIGHTS.flatMap((night) =>
  [-1, 0, 1].map((days): [typeof night, number, boolean] => [night, days, days === 0]),
);

test('a Post for 09:00 is stored, listed, shown and sent at 09:00, around both nights of five zones', async () => {
  expect(NIGHTS.map(([zone]) => zone)).toEqual(ZONES.flatMap((zone) => [zone, zone]));
  await using open = await openIngressWorld();
  const { harness, key, channels, scenario, world } = open;
  const readers = { ...world.readers(), slices: new TimeSlices({ clock: world.clock }) };
  const call = { workspaceId: scenario.id, signal: new AbortController().signal } as ApiCall;
  const sentAt = new Map<string, string>();
  let count = 0;
  const stands = async (zone: string, night: string, days: number, isInUtc: boolean): Promise<void> => {
    const { date, sent } = nineOClock(zone, night, days);
    scenario.must({ type: 'SetZone', timeZone: zone });
    const timeZone = scenario.workspace.timeZone!;
    const scheduledAt = isInUtc ? new Date(sent).toISOString() : sent;
    count += 1;
    const body = { text: `Post ${count}`, channelIds: channels.slice(1), scheduledAt };
    const { body: created } = await harness.call('POST', '/api/posts', { key, body });
    const { id } = created.data;
    const nine = `${date} 09:00`;
    const shown = (post: { readonly at: string }) => shownIn(timeZone, post.at);
    expect(shown(created.data)).toBe(nine);
    expect(shown((await harness.call('GET', `/api/posts/${id}`, { key })).body.data)).toBe(nine);
    expect(shownIn(timeZone, scenario.postOf(id).scheduledAt!)).toBe(nine);
    // The list of that hour has it, those of the hours before and after have not.
    const listed = async (hours: number) => {
      const [from, to] = [hours, hours + 1].map((each) => new Date(Date.parse(sent) + each * HOUR).toISOString());
      const { body: list } = await harness.call('GET', `/api/posts?from=${from}&to=${to}`, { key });
      return list.data.some((post: { readonly id: string }) => post.id === id);
    };
    expect([await listed(-1), await listed(0), await listed(1)]).toEqual([false, true, false]);
    const range = { from: Date.parse(sent), to: Date.parse(sent) + HOUR };
    const cards = await listCalendar(call, range, readers);
    const card = cards.ok ? cards.value.cards.find((each) => each.id === id) : undefined;
    expect(shown(card!)).toBe(nine);
    const timer = scenario.timers.find(({ command }) => isAbout(command, id))!;
    expect(shownIn(timeZone, timer.at)).toBe(nine);
    sentAt.set(id, `${timeZone} ${nine}`);
  };
  const anyNight = fc.constantFrom(...NIGHTS);
  await fc.assert(
    fc.asyncProperty(anyNight, fc.integer({ min: -9, max: 9 }), fc.boolean(), ([zone, night], days, isInUtc) =>
      stands(zone, night, days, isInUtc),
    ),
    { numRuns: 30, examples: EVERY },
  );

  // What is due goes out at that minute of that zone, and at no other.
  const left = new Map<string, string>();
  for (const { at, command } of scenario.timers.toSorted((one, other) => one.at - other.at)) {
    const id = [...sentAt.keys()].find((each) => isAbout(command, each));
    if (id === undefined) continue;
    scenario.now = at;
    const { effects } = scenario.tell(command);
    const zone = sentAt.get(id)!.split(' ')[0]!;
    if (effects.some(({ kind }) => kind === 'publish')) left.set(id, `${zone} ${shownIn(zone, scenario.now)}`);
  }
  expect(left).toEqual(sentAt);
});

function isAbout(command: Command, postId: string): boolean {
  return command.type === 'VariantsDue' && command.posts.some((due) => due.postId === postId);
}
