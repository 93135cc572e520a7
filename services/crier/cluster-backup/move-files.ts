import type { Clock } from '#ports/clock.ts';
import { MAX_LISTED_BLOBS, type BlobStore } from '#ports/blob-store.ts';
import { withPatience } from './move-rows.ts';
import type { Progress } from './progress.ts';

/** Copies the files that are not there yet; returns how many there are. Repeatable. Rejects with `PortError`. */
export async function moveFiles(
  from: Pick<BlobStore, 'list' | 'get'>,
  to: Pick<BlobStore, 'head' | 'put'>,
  { clock, progress }: { readonly clock: Pick<Clock, 'monotonic' | 'sleep'>; readonly progress: Progress },
): Promise<number> {
  let moved = 0;
  for (let after: string | null = null; ;) {
    const page = await from.list('', { after, limit: MAX_LISTED_BLOBS });
    for (const { name, bytes } of page) {
      await withPatience(clock, async () => {
        if ((await to.head(name))?.bytes === bytes) return;
        await to.put(name, await from.get(name), { maxBytes: bytes });
      });
      moved += 1;
      progress(`files: ${moved}`);
    }
    if (page.length < MAX_LISTED_BLOBS) return moved;
    after = page.at(-1)!.name;
  }
}
