import { targetsOf } from '#networks/registry.ts';
import type { Aftermath, Check, SimulatedItem } from '../aftermath.ts';
import { converted, factsOf, sha256Of } from '../files/picture-bytes.ts';

/**
 * What is live shows the files that its Post was given, all of them, in order: each as its Network takes it, made of
 * the bytes that the Member gave and of no others.
 */
export const publishedFilesAreTrue: Check = (after) => {
  if (!after.world.parts.includes('media')) return [];
  return after.items.flatMap((item) => {
    const entry = after.history.of('create').find(({ text }) => text === item.text);
    if (entry === undefined) return [];
    const expected = expectedOf(after, item, entry.files);
    const shown = item.media.map(({ sha256 }) => sha256);
    if (shown.join() === expected.join()) return [];
    const detail = `"${item.text}" is live on ${item.network} with ${shown.length} files that differ from what was given: ${entry.files.join(', ') || 'none'}`;
    return [{ check: 'published files are true', detail, about: [item.text, ...entry.files] }];
  });
};

function expectedOf(
  { world, heads }: Aftermath,
  { network, accountId }: SimulatedItem,
  names: readonly string[],
): readonly string[] {
  const channels = [...heads.values()].flatMap(({ state }) => Object.values(state.channels));
  const kind = channels.find((channel) => channel.network === network && channel.accountId === accountId)?.kind ?? '';
  const given = names.map((name) => world.files.named(name)!.bytes);
  const wanted = targetsOf(
    network,
    'feed',
    given.map((bytes) => factsOf(bytes)!),
    kind,
  );
  if (wanted.kind === 'problems') return ['none of these can be published'];
  return given.map((bytes, index) => sha256Of(converted(bytes, wanted.targets[index]!)));
}
