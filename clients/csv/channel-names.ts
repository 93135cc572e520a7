import { nearestOf } from './nearest.ts';

/** What of a Channel names it. */
export interface NamedChannel {
  readonly id: string;
  readonly name: string;
  readonly network: string;
}

export type ChannelsReading =
  { readonly ok: true; readonly channelIds: readonly string[] } | { readonly ok: false; readonly message: string };

/**
 * The Channels of a list such as `Acme on x, threads`: each by its name, its id, its Network where only one Channel is
 * on it, or `network:name`; `all` is every one. Separated by commas, semicolons, bars or lines.
 */
export function readChannels(text: string, channels: readonly NamedChannel[]): ChannelsReading {
  const whole = text.trim();
  const words = match(whole, channels).length > 0 ? [whole] : whole.split(/[,;|\n]/).map((word) => word.trim());
  const found = new Set<string>();
  for (const word of words.filter((each) => each !== '')) {
    if (word.toLowerCase() === 'all') {
      for (const { id } of channels) found.add(id);
      continue;
    }
    const matches = match(word, channels);
    if (matches.length !== 1) return { ok: false, message: refusal(word, matches, channels) };
    found.add(matches[0]!.id);
  }
  return { ok: true, channelIds: [...found] };
}

/** A word for each Channel that names it alone: its name, where no other has it, else `network:name`. */
export function channelWord(channel: NamedChannel, channels: readonly NamedChannel[]): string {
  const isAlone = match(channel.name, channels).length === 1 && !/[,;|\n]/.test(channel.name);
  return isAlone ? channel.name : `${channel.network}:${channel.name}`;
}

function match(word: string, channels: readonly NamedChannel[]): readonly NamedChannel[] {
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const byId = channels.filter(({ id }) => same(id, word));
  if (byId.length > 0) return byId;
  const byName = channels.filter(({ name }) => same(name, word));
  if (byName.length > 0) return byName;
  const [, network = '', name = ''] = /^(\w+):\s*(.*)$/s.exec(word) ?? [];
  const byBoth = channels.filter((channel) => same(channel.network, network) && same(channel.name, name));
  return byBoth.length > 0 ? byBoth : channels.filter((channel) => same(channel.network, word));
}

function refusal(word: string, matches: readonly NamedChannel[], channels: readonly NamedChannel[]): string {
  if (matches.length > 1)
    return `"${word}" names ${matches.length} Channels. Write ${matches.map((one) => channelWord(one, channels)).join(' or ')}`;
  if (channels.length === 0)
    return `There is no Channel "${word}": this Workspace has none yet. Connect one in the app`;
  const words = channels.map((one) => channelWord(one, channels));
  const nearest = nearestOf(word, [...words, ...new Set(channels.map(({ network }) => network))]);
  return nearest === null
    ? `There is no Channel "${word}". There are ${words.join(', ')}`
    : `There is no Channel "${word}". Did you mean ${nearest}?`;
}
