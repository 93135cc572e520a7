import { readFile } from 'node:fs/promises';
import { readFileText } from '#clients/csv/file-text.ts';
import { readPosts, type PostsFile } from '#clients/csv/read-posts.ts';
import { channelIdsOf } from '../channel-flag.ts';
import { machineZone } from '../chosen-time.ts';
import { ImportUploads, refuseMissingFiles } from '../import/import-files.ts';
import { sendRows } from '../import/import-run.ts';
import { markPresent } from '../import/present-posts.ts';
import type { RowOutcome } from '../import/row-outcome.ts';
import { ImportTelling } from '../import/import-telling.ts';
import { CommandRefusal, UsageError } from '../usage-error.ts';
import type { Invocation, Verb } from '../verb.ts';

export const IMPORT: Verb = {
  name: 'import',
  summary: 'Create many Posts from a CSV file, after a dry run',
  takes: 'FILE.csv',
  minWords: 1,
  maxWords: 1,
  flags: [
    { name: 'dry-run', doc: 'Judge every row and create nothing' },
    { name: 'yes', doc: 'Create without asking, when the dry run finds nothing wrong' },
    { name: 'skip-refused', doc: 'Create the other rows when some are refused' },
    { name: 'channel', value: 'NAME', doc: 'For rows that name no Channel', multiple: true, completes: 'channels' },
    { name: 'zone', value: 'ZONE', doc: 'Of times without a zone, such as Europe/Berlin [of this machine]' },
    { name: 'batch', value: 'NAME', doc: 'A name by which rows that were imported before are created again' },
  ],
  notes: [
    'Columns: text, channels, scheduled_at (or date, time and zone), media, alt_texts, idempotency_key, and any option of the API, such as first_comment, privacy or youtube.title; examples/import.csv has them. Names of other tools are understood.',
    'The same file may be sent again, also after Ctrl-C or a crash: a row whose Post is there is not created twice, and one whose Post was moved, edited or cancelled since is refused, unless --batch gives the import a name. For rows without a time this holds for 24 hours; such a row with an idempotency_key and files of this machine is refused.',
    'Files in the column media are https addresses, or paths relative to the CSV file.',
  ],
  examples: ['crier import examples/import.csv --dry-run', 'crier import examples/import.csv --yes'],
  isLong: true,
  completesWords: 'files',
  run: (invocation) => new Import(invocation).run(),
};

/**
 * One import. It reads the file, looks which rows are there already, uploads files, lets the server judge all rows, and
 * only then creates. Until it creates, nothing of it is left behind when it ends.
 */
class Import {
  readonly #invocation: Invocation;
  readonly #path: string;
  readonly #uploads: ImportUploads;
  #rows: readonly RowOutcome[] = [];

  constructor(invocation: Invocation) {
    this.#invocation = invocation;
    this.#path = invocation.words[0]!;
    this.#uploads = new ImportUploads(invocation.crier(), this.#path, invocation.terminal);
    if (invocation.has('dry-run') && invocation.has('yes'))
      throw new UsageError('--dry-run creates nothing, and --yes creates: give one of them');
  }

  async run(): Promise<number> {
    const { terminal } = this.#invocation;
    const file = await this.#read();
    const telling = new ImportTelling(this.#invocation, file.ignored);
    this.#rows = file.rows.map((row) => ({ ...row, state: row.post === null ? 'refused' : 'open', postId: null }));
    this.#rows = await refuseMissingFiles(this.#rows, this.#path);
    this.#rows = await markPresent(this.#rows, {
      crier: this.#invocation.crier(),
      signal: terminal.interrupted,
      isAgain: this.#invocation.value('batch') !== undefined,
    });
    let created = false;
    try {
      const bodies = await this.#judge();
      telling.judged(this.#rows);
      if (!(await this.#mayCreate())) return telling.end(this.#rows);
      created = true;
      await this.#create(bodies, telling);
      return telling.end(this.#rows);
    } catch (error) {
      if (created) telling.stopped(this.#rows);
      throw error;
    } finally {
      // Of a row whose outcome is not known the files stay: its Post may have them.
      if (!created) await this.#uploads.removeAll();
      else await this.#uploads.removeOf(this.#of('there', 'refused').map(({ row }) => row));
    }
  }

  async #read(): Promise<PostsFile> {
    const { terminal } = this.#invocation;
    const bytes = await readFile(this.#path);
    const reading = readFileText(bytes);
    if (!reading.ok) throw new CommandRefusal(`${this.#path}: ${reading.message}`);
    const channels = await this.#invocation.crier().channels.list({ signal: terminal.interrupted });
    const file = readPosts(reading.text, {
      channels,
      zone: this.#invocation.value('zone') ?? machineZone(),
      channelIds: channelIdsOf(this.#invocation.values('channel'), channels),
      batch: this.#invocation.value('batch') ?? '',
    });
    const [problem] = file.problems;
    if (problem !== undefined) throw new CommandRefusal(`${this.#path}: ${problem.message}`);
    if (file.rows.length === 0) throw new CommandRefusal(`${this.#path} has a header and no row below it`);
    return file;
  }

  /** Has the server judge every open row. The bodies are of the rows that are open then, by row. */
  async #judge(): Promise<ReadonlyMap<number, Bodies>> {
    const open = this.#of('open');
    const bodies = await this.#uploads.bodiesOf(open);
    if (open.length > 0) await this.#send(open, bodies, true);
    return new Map(open.map(({ row }, index) => [row, bodies[index]!]));
  }

  async #create(bodies: ReadonlyMap<number, Bodies>, telling: ImportTelling): Promise<void> {
    const open = this.#of('open');
    telling.begins(open.length);
    await this.#send(
      open,
      open.map(({ row }) => bodies.get(row)!),
      false,
    );
  }

  async #send(rows: readonly RowOutcome[], bodies: readonly Bodies[], dryRun: boolean): Promise<void> {
    const { terminal } = this.#invocation;
    const byRow = new Map(this.#rows.map((row) => [row.row, row]));
    const onOutcome = (outcome: RowOutcome): void => {
      byRow.set(outcome.row, outcome);
      this.#rows = [...byRow.values()];
    };
    await sendRows(rows, bodies, { crier: this.#invocation.crier(), terminal, dryRun, onOutcome });
  }

  async #mayCreate(): Promise<boolean> {
    const invocation = this.#invocation;
    const open = this.#of('open').length;
    if (invocation.has('dry-run') || open === 0) return false;
    if (this.#of('refused').length > 0 && !invocation.has('skip-refused')) return false;
    if (invocation.has('yes')) return true;
    const answer = await invocation.terminal.ask(`Create ${open} Post${open === 1 ? '' : 's'}? [y/N] `);
    if (answer === null) throw new UsageError('nothing was created: add --yes to create, or --dry-run to only look');
    return /^\s*y(es)?\s*$/i.test(answer);
  }

  #of(...states: readonly RowOutcome['state'][]): readonly RowOutcome[] {
    return this.#rows.filter(({ state }) => states.includes(state));
  }
}

type Bodies = Awaited<ReturnType<ImportUploads['bodiesOf']>>[number];
