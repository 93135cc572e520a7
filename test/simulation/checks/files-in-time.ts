import { everyVariant, type Aftermath, type Check, type VariantOf } from '../aftermath.ts';
import { preparedAt } from './prepared-at.ts';

/** Six conversions, one after the other, and an address that is slow. */
const TAKES_MS = 150_000;
const RECOVERY_MS = 60_000;

/** While nothing is wrong, the files of a Post are ready soon after it was made, and not only when it is due. */
export const filesAreReadyInTime: Check = (after) => {
  if (!after.world.parts.includes('media') || after.world.witness.counts.has('key-parked')) return [];
  const readyAt = preparedAt(after);
  return everyVariant(after).flatMap((each) => {
    const { post, variant } = each;
    const lateMs = readyAt(each) - post.createdAt;
    if (variant.status !== 'published' || post.media.length === 0 || lateMs <= TAKES_MS) return [];
    if (isTroubled(after, each)) return [];
    const detail = `the files of variant ${variant.id} were ready ${lateMs} ms after its Post was made; nothing was wrong`;
    return [{ check: 'files are ready in time', detail, about: [post.id.slice(0, -2)] }];
  });
};

function isTroubled({ world, history }: Aftermath, { post }: VariantOf): boolean {
  const files = history.of('create').find(({ text }) => text === post.text)?.files ?? [];
  const [from, until] = [post.createdAt, post.createdAt + TAKES_MS];
  return (
    world.witness.hasLost(post.id) ||
    // A file that hangs, or ends its process, keeps others waiting.
    world.files.troubles.some(({ file, what }) => files.includes(file) || what === 'hangs' || what === 'crashes') ||
    world.witness.disturbances.some(
      (fault) =>
        fault.from <= until &&
        (fault.until === null || fault.until + (fault.what === 'leap' ? 0 : RECOVERY_MS) >= from),
    )
  );
}
