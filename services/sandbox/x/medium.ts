import type { Account } from '../accounts.ts';
import type { Fault, NetworkFault } from '../faults.ts';
import type { SandboxFile } from '../files/files.ts';
import type { SimulatorOptions } from '../simulator.ts';
import { shelf, type Shelf } from '../store/store.ts';

export const MEDIUM_LIFE_MS = 24 * 3_600_000;

export const CATEGORIES = ['tweet_image', 'tweet_gif', 'tweet_video'] as const;
export type Category = (typeof CATEGORIES)[number];

export const isCategory = (value: unknown): value is Category => (CATEGORIES as readonly unknown[]).includes(value);

/** A file that posts of its account may show, for a day. Its state follows from the clock. */
export interface Medium {
  readonly id: string;
  readonly accountId: string;
  readonly category: Category;
  readonly uploadId: string;
  /** Bytes, as its upload announced them. */
  readonly size: number;
  readonly createdAt: number;
  /** Bytes of each received segment, by its index. */
  readonly segments: Readonly<Record<string, number>>;
  /** null until the upload was finalized. */
  readonly file: SandboxFile | null;
  /** When processing ends; null: never, or it has not begun. */
  readonly readyAt: number | null;
  /** Why processing fails; null: it succeeds. */
  readonly failure: string | null;
  readonly altText: string | null;
}

export interface MediaCallOptions extends SimulatorOptions {
  readonly account: Account;
  readonly now: number;
  readonly fault: Fault<NetworkFault> | null;
}

export const mediaShelf = ({ store }: Pick<SimulatorOptions, 'store'>): Shelf<Medium> =>
  shelf<Medium>(store, 'x.media');

const KEY_PREFIXES: Readonly<Record<Category, number>> = { tweet_image: 3, tweet_gif: 16, tweet_video: 7 };
export const keyOf = ({ id, category }: Pick<Medium, 'id' | 'category'>): string => `${KEY_PREFIXES[category]}_${id}`;

/** pending -> in_progress -> succeeded | failed. */
export function stateOf(
  { file, readyAt, failure }: Medium,
  now: number,
): 'pending' | 'in_progress' | 'succeeded' | 'failed' {
  if (file === null) return 'pending';
  if (readyAt === null || now < readyAt) return 'in_progress';
  return failure === null ? 'succeeded' : 'failed';
}

/** The account's own medium, until it expires. */
export function mediumOf(
  id: string,
  { account, now, store }: Pick<MediaCallOptions, 'account' | 'now' | 'store'>,
): Medium | null {
  const medium = mediaShelf({ store }).get(id);
  return medium === null || medium.accountId !== account.accountId || now - medium.createdAt >= MEDIUM_LIFE_MS
    ? null
    : medium;
}
