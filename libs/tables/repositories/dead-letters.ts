import { createHash } from 'node:crypto';
import type { DeadLetter } from '#messages/messages.ts';
import { MAX_SLICE_ROWS, type TableStore } from '#ports/table-store.ts';
import { BODY_FORMAT, decodeBody, encodeBody } from '../rows/body.ts';
import { DEAD_LETTER_ROWS, DEAD_LETTER_VALUES } from '../declarations/tables.ts';

/** What a record is about, as far as it could be read. */
export interface RecordSubject {
  /** The type of the message; null: the record can not be read. */
  readonly type: string | null;
  readonly workspaceId: string | null;
  readonly postId: string | null;
  readonly variantId: string | null;
}

/** A dead letter without its value, which may hold texts of tenants. */
export interface DeadLetterEnvelope extends Omit<DeadLetter, 'type' | 'value'> {
  /** `<instant>-<digest>`. */
  readonly id: string;
  /** Of its value. */
  readonly bytes: number;
  readonly subject: RecordSubject;
}

export interface DeadLetterFilter {
  /** Instants, both included. */
  readonly from: number;
  readonly to: number;
  /** Only letters after this one in the list, that is older ones. */
  readonly before: Pick<DeadLetterEnvelope, 'at' | 'id'> | null;
  readonly limit: number;
}

const DAY_MS = 86_400_000;
export const DEAD_LETTERS_KEPT_MS = 90 * DAY_MS;
/** Readers judge by the stored instant; the rows go a day later, since clocks differ. */
const TTL_SECONDS = (DEAD_LETTERS_KEPT_MS + DAY_MS) / 1000;

const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** The same for the same letter, whoever keeps it. */
function idOf({ topic, partition, offset, key, value, at }: DeadLetter): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([topic, partition, offset, key]))
    .update(value);
  return `${at}-${digest.digest('hex').slice(0, 16)}`;
}

/** Twice is harmless. Rejects with `PortError`; then it may be kept. */
export async function keepDeadLetter(
  store: Pick<TableStore, 'insert'>,
  letter: DeadLetter,
  subject: RecordSubject,
): Promise<void> {
  const { type: _, value, at, ...body } = letter;
  const row = { format: BODY_FORMAT, ttlSeconds: TTL_SECONDS };
  const id = idOf(letter);
  // The value first: whatever is listed has one.
  await store.insert(DEAD_LETTER_VALUES, [{ ...row, partition: [id], clustering: [], body: value }]);
  const envelope = encodeBody({ ...body, bytes: value.length, subject });
  await store.insert(DEAD_LETTER_ROWS, [{ ...row, partition: [dayOf(at)], clustering: [at, id], body: envelope }]);
}

/** Letters newest first, read day by day until `limit` are found. Rejects with `PortError`. */
export async function listDeadLetters(
  store: Pick<TableStore, 'slice'>,
  { from, to, before, limit }: DeadLetterFilter,
): Promise<{ readonly letters: readonly DeadLetterEnvelope[]; readonly more: boolean }> {
  const letters: DeadLetterEnvelope[] = [];
  for (let day = dayOf(Math.min(to, before?.at ?? to)); day >= dayOf(from) && letters.length <= limit; day--) {
    const after = before !== null && dayOf(before.at) === day ? ([before.at, before.id] as const) : null;
    // One more than the page holds tells whether there is another page.
    const range = { until: [from - 1] as const, limit: Math.min(MAX_SLICE_ROWS, limit + 1 - letters.length) };
    const start = after === null ? { from: [to] as const } : { after };
    for (const row of await store.slice(DEAD_LETTER_ROWS, [day], { ...start, ...range })) {
      const letter = envelopeOf(row);
      if (letter !== null) letters.push(letter);
    }
  }
  return { letters: letters.slice(0, limit), more: letters.length > limit };
}

/** Null: there is no such letter, or it was too long ago. Rejects with `PortError`. */
export async function readDeadLetter(store: Pick<TableStore, 'read'>, id: string): Promise<DeadLetterEnvelope | null> {
  const at = Number(/^(\d{1,15})-/.exec(id)?.[1] ?? NaN);
  if (!Number.isSafeInteger(at)) return null;
  const row = await store.read(DEAD_LETTER_ROWS, [dayOf(at)], [at, id]);
  return row === null ? null : envelopeOf(row);
}

/** Null: it is not there any more. Rejects with `PortError`. */
export async function readDeadLetterValue(store: Pick<TableStore, 'read'>, id: string): Promise<Uint8Array | null> {
  return (await store.read(DEAD_LETTER_VALUES, [id], []))?.body ?? null;
}

function envelopeOf(row: Parameters<typeof decodeBody>[0] & { readonly clustering: readonly (string | number)[] }) {
  const [at, id] = row.clustering as readonly [number, string];
  const body = decodeBody<Omit<DeadLetterEnvelope, 'id' | 'at'>>(row);
  return body === null ? null : { id, at, ...body };
}
