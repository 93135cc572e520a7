import type { BulkItem, BulkPost, Crier } from '#clients/typescript/client.ts';
import { ProgressLine } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { cancelledRow, refusedRow, type RowOutcome } from './row-outcome.ts';

interface SendOptions {
  readonly crier: Crier;
  readonly terminal: Terminal;
  readonly dryRun: boolean;
  /** Told of each row as soon as its outcome is known. */
  readonly onOutcome: (outcome: RowOutcome) => void;
}

/** Judges or creates the rows, with progress. `bodies` has one for each row, in order. */
export async function sendRows(rows: readonly RowOutcome[], bodies: readonly BulkPost[], options: SendOptions) {
  const { crier, terminal, dryRun, onOutcome } = options;
  const line = new ProgressLine(terminal, dryRun ? 'Judging ' : 'Creating');
  line.show(0, rows.length, `0 of ${rows.length}`);
  try {
    await crier.posts.createBulk(bodies, {
      dryRun,
      signal: terminal.interrupted,
      onProgress: ({ done, total, items }) => {
        for (const [place, item] of items) onOutcome(outcomeOf(rows[place]!, item, dryRun));
        line.show(done, total, `${done} of ${total}`);
      },
    });
  } finally {
    line.end();
  }
}

/**
 * A key with another body, of a row with files of this machine: uploading these again gave them other ids. Where the
 * key was made of the row, nothing else differs. A key of the file stays the same when its row is corrected.
 */
const KEY_USED =
  'Its key was used within the last day. If you changed the row since, give it another key; if not, its Post is there';

function outcomeOf(row: RowOutcome, { post, error, replayed }: BulkItem, dryRun: boolean): RowOutcome {
  const hasUploads = row.post?.media.some((file) => 'path' in file) === true;
  if (error?.code === 'idempotency_key_reused' && hasUploads)
    return row.hasOwnKey ? refusedRow(row, [KEY_USED]) : { ...row, state: 'there' };
  if (error !== undefined) return refusedRow(row, messagesOf(error));
  if (dryRun) return row;
  const isCancelled = post?.variants.every(({ status }) => status === 'cancelled') === true;
  if (replayed === true && isCancelled) return cancelledRow(row);
  return { ...row, state: replayed === true ? 'there' : 'created', postId: post?.id ?? null };
}

function messagesOf({ message, blockers = [] }: NonNullable<BulkItem['error']>): readonly string[] {
  return blockers.length === 0 ? [message] : [...new Set(blockers.map((blocker) => blocker.message))];
}
