import type { PostsFile } from '#clients/csv/read-posts.ts';
import type { CsvProblem } from '#clients/csv/read-row.ts';
import { machineZone, shownTime } from '../chosen-time.ts';
import { tableOf } from '../table.ts';
import type { Invocation } from '../verb.ts';
import type { RowOutcome } from './row-outcome.ts';

const MAX_PROBLEMS_SHOWN = 100;

/** What an import says, to a person or in JSON. */
export class ImportTelling {
  readonly #invocation: Invocation;
  readonly #ignored: PostsFile['ignored'];
  #hasCreated = false;

  constructor(invocation: Invocation, ignored: PostsFile['ignored']) {
    this.#invocation = invocation;
    this.#ignored = ignored;
  }

  /** After the dry run. */
  judged(rows: readonly RowOutcome[]): void {
    if (this.#invocation.json) return;
    const { terminal, words } = this.#invocation;
    for (const { header, nearest } of this.#ignored)
      terminal.say(
        `The column "${header}" is passed over${nearest === null ? '' : `; was it meant to be "${nearest}"`}.\n`,
      );
    terminal.out(`${words[0]}: ${counted(rows.length, 'row')}\n`);
    const open = rows.filter(({ state }) => state === 'open');
    if (open.length > 0) terminal.out(`  ${open.length} can be created${spanOf(open)}\n`);
    const there = rows.filter(({ state }) => state === 'there');
    if (there.length > 0) terminal.out(`  ${there.length} ${there.length === 1 ? 'is' : 'are'} there already\n`);
    this.#refusals(rows);
  }

  begins(count: number): void {
    this.#hasCreated = true;
    if (!this.#invocation.json && !this.#invocation.terminal.sayIsTerminal)
      this.#invocation.terminal.say(`Creating ${counted(count, 'Post')} ...\n`);
  }

  /** Ctrl-C, or trouble that lasts, ended it while it created. */
  stopped(rows: readonly RowOutcome[]): void {
    const created = rows.filter(({ state }) => state === 'created').length;
    const open = rows.filter(({ state }) => state === 'open').length;
    this.#invocation.terminal.say(
      `crier: stopped after ${counted(created, 'Post')}; ${counted(open, 'row')} may be open. Send the same file again: what is there is not created twice.\n`,
    );
  }

  /** The end. Resolves to the exit code: 1 when a row is refused. */
  end(rows: readonly RowOutcome[]): number {
    const { terminal, json } = this.#invocation;
    const refused = rows.filter(({ state }) => state === 'refused');
    const created = rows.filter(({ state }) => state === 'created').length;
    if (json) terminal.out(`${JSON.stringify({ rows: rows.map(jsonOf), ignored: this.#ignored })}\n`);
    else if (this.#hasCreated) {
      terminal.out(`Created ${counted(created, 'Post')}. crier posts lists them.\n`);
      this.#refusals(rows);
    } else {
      const advice =
        refused.length > 0
          ? 'Correct the file and send it again, or add --skip-refused to create the others.'
          : rows.some(({ state }) => state === 'open')
            ? 'crier import FILE --yes creates them.'
            : 'There is nothing to do.';
      terminal.out(`Nothing was created. ${advice}\n`);
    }
    return refused.length > 0 ? 1 : 0;
  }

  #refusals(rows: readonly RowOutcome[]): void {
    const { terminal } = this.#invocation;
    const refused = rows.filter(({ state }) => state === 'refused');
    if (refused.length === 0) return;
    const problems = refused.flatMap(({ problems: own }) => own);
    const columns = [
      { head: 'ROW', cell: ({ row }: CsvProblem) => String(row) },
      { head: 'COLUMN', cell: ({ column }: CsvProblem) => column ?? '' },
      { head: 'PROBLEM', cell: ({ message }: CsvProblem) => message },
    ];
    terminal.say(`  ${refused.length} ${refused.length === 1 ? 'is' : 'are'} refused:\n\n`);
    terminal.say(`${tableOf(problems.slice(0, MAX_PROBLEMS_SHOWN), columns, terminal.columns)}\n`);
    const more = problems.length - MAX_PROBLEMS_SHOWN;
    if (more > 0) terminal.say(`... and ${more} more; --json prints all\n`);
    terminal.say('\n');
  }
}

function spanOf(open: readonly RowOutcome[]): string {
  const zone = machineZone();
  const times = open.flatMap(({ post }) => (post?.scheduledAt === undefined ? [] : [post.scheduledAt])).sort();
  const atOnce = open.length - times.length;
  const span =
    times.length === 0 ? '' : `, from ${shownTime(times[0]!, zone)} to ${shownTime(times.at(-1)!, zone)} (${zone})`;
  return atOnce === 0 ? span : `${span}; ${atOnce} of them without a time, so published at once`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function jsonOf({ row, state, postId, problems, post }: RowOutcome): object {
  return {
    row,
    state,
    postId,
    scheduledAt: post?.scheduledAt ?? null,
    problems: problems.map(({ column, message }) => ({ column, message })),
  };
}
