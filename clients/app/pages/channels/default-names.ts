import { factsOf, type Network } from '#domain/network.ts';
import type { OptionName } from '#domain/network-options.ts';

/** What a Channel may keep: texts, titles and covers belong to one Post. */
export type DefaultName = Exclude<OptionName, 'title' | 'cover'>;

/** Those of the Network, in its order. */
export function defaultNames(network: Network): readonly DefaultName[] {
  return factsOf(network).options.filter((name) => name !== 'title' && name !== 'cover');
}

/** "ada, grace" as a list; undefined: nothing is written. */
export function listOfWords(written: string): readonly string[] | undefined {
  const words = written
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}

/** A line for each account: its name, and the place in the picture from 0 to 1, from the left and from the top. */
export function userTagsOf(written: string): readonly { username: string; x: number; y: number }[] | undefined {
  const lines = written.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  return lines.map((line) => {
    const [username = '', x = '0.5', y = '0.5'] = line.trim().split(/\s+/);
    return { username: username.replace(/^@/, ''), x: Number(x), y: Number(y) };
  });
}

export function userTagLines(tags: readonly { username: string; x: number; y: number }[]): string {
  return tags.map(({ username, x, y }) => `${username} ${x} ${y}`).join('\n');
}
