import type { CsvPost } from './read-row.ts';

/** A Post as the API answers it, as far as rows are found again by it. */
export interface MadePost {
  readonly id: string;
  readonly text: string;
  readonly media: readonly unknown[];
  readonly variants: readonly {
    readonly channelId: string;
    readonly placement: string;
    readonly status: string;
    readonly scheduledAt: string | null;
    readonly text: string | null;
  }[];
}

/** Between which instants the Posts of these rows are, as lists of Posts take it; null: none has a time. */
export function spanOf(rows: readonly CsvPost[]): { readonly from: string; readonly to: string } | null {
  const times = rows.flatMap(({ scheduledAt }) => (scheduledAt === undefined ? [] : [Date.parse(scheduledAt)]));
  if (times.length === 0) return null;
  const [from, to] = times.reduce(([low, high], at) => [Math.min(low, at), Math.max(high, at)], [times[0]!, times[0]!]);
  return { from: new Date(from!).toISOString(), to: new Date(to! + 1).toISOString() };
}

/**
 * Posts that were made, by what a row says of its Post: text, Channels with their placements and own texts, time and
 * number of files. Idempotency-Keys are kept for a day; this holds for any time, and spares rows that were published
 * meanwhile a refusal for being too early. Other options are not in answers.
 *
 * A Post that was cancelled as a whole is not there, but it was: moving or editing a Post cancels it and makes another
 * one, so a row that finds nothing else would be published beside what became of its Post.
 */
export class PresentPosts {
  readonly #ids = new Map<string, string>();
  readonly #cancelled = new Set<string>();

  add(post: MadePost): void {
    const likeness = likenessOfPost(post);
    if (likeness === null) return;
    if (post.variants.every(({ status }) => status === 'cancelled')) this.#cancelled.add(likeness);
    else this.#ids.set(likeness, post.id);
  }

  /** The id of the Post that the row would make; null: it is not there, or the row has no time. */
  idOf(row: CsvPost): string | null {
    return row.scheduledAt === undefined ? null : (this.#ids.get(likenessOfRow(row, row.scheduledAt)) ?? null);
  }

  /** Whether the row made a Post that was cancelled as a whole since, or moved or edited, and none like it is there. */
  wasCancelled(row: CsvPost): boolean {
    if (row.scheduledAt === undefined || this.idOf(row) !== null) return false;
    return this.#cancelled.has(likenessOfRow(row, row.scheduledAt));
  }
}

function likenessOfRow({ text, channelIds, channelOptions, media }: CsvPost, scheduledAt: string): string {
  const variants = channelIds.flatMap((id) => {
    const { placement = 'feed', text: own = null } = channelOptions[id] ?? {};
    const placements = placement === 'feed_and_story' ? ['feed', 'story'] : [placement];
    return placements.map((each) => [id, each, each === 'story' ? null : own]);
  });
  return likenessOf(text, variants, scheduledAt, media.length);
}

function likenessOfPost({ text, variants, media }: MadePost): string | null {
  const scheduledAt = variants[0]?.scheduledAt ?? null;
  if (scheduledAt === null) return null;
  const own = variants.map((each) => [each.channelId, each.placement, each.text]);
  return likenessOf(text, own, scheduledAt, media.length);
}

function likenessOf(text: string, variants: readonly unknown[], scheduledAt: string, files: number): string {
  const sorted = variants.map((each) => JSON.stringify(each)).sort();
  return JSON.stringify([text, sorted, Date.parse(scheduledAt), files]);
}
