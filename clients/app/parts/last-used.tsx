import { Time } from './time.tsx';

/** `at`: to the minute; null: never, or longer ago than is kept. */
export function LastUsed({ at }: { readonly at: string | null }) {
  return at === null ? <span className="soft">Not yet</span> : <Time at={at} />;
}
