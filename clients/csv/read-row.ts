import type { Column } from './columns.ts';
import { readChannels, type NamedChannel } from './channel-names.ts';
import { OPTION_COLUMNS, readOption } from './option-columns.ts';
import { rowKey } from './row-key.ts';
import { readTime, type SlashOrder } from './written-time.ts';

/** A file of a row: an address, or a path on the machine that the CSV file is on. */
export type CsvMedia = ({ readonly url: string } | { readonly path: string }) & { readonly altText?: string };

/** A Post as a row describes it: the body of a request, but for paths, which are to be uploaded first. */
export interface CsvPost {
  readonly text: string;
  readonly channelIds: readonly string[];
  /** In UTC; left out: published at once. */
  readonly scheduledAt?: string;
  readonly media: readonly CsvMedia[];
  readonly channelOptions: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly idempotencyKey: string;
}

export interface CsvProblem {
  /** As a spreadsheet counts: the header is row 1. */
  readonly row: number;
  /** The column's name in the file; null when it is about the whole row. */
  readonly column: string | null;
  readonly message: string;
}

export interface CsvRow {
  readonly row: number;
  /** Null when there are problems. */
  readonly post: CsvPost | null;
  /** Whether its key stands in the file: it then stays the same when the row is corrected. */
  readonly hasOwnKey: boolean;
  readonly problems: readonly CsvProblem[];
}

export interface RowOptions {
  readonly columns: readonly Column[];
  readonly channels: readonly NamedChannel[];
  readonly zone: string;
  readonly channelIds?: readonly string[];
  readonly batch?: string;
  readonly slashOrder: SlashOrder;
  /** By key: the row that had it first. */
  readonly seen: Map<string, number>;
}

interface CsvRecordOfRow {
  readonly cells: readonly string[];
  readonly row: number;
}

const KEY = /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** What one row would create, or all that is wrong with it. */
export function readRow({ cells, row }: CsvRecordOfRow, options: RowOptions): CsvRow {
  return new RowReader(cells, row, options).read();
}

class RowReader {
  readonly #cells: readonly string[];
  readonly #row: number;
  readonly #options: RowOptions;
  readonly #problems: CsvProblem[] = [];

  constructor(cells: readonly string[], row: number, options: RowOptions) {
    this.#cells = cells;
    this.#row = row;
    this.#options = options;
  }

  read(): CsvRow {
    const { columns, batch = '', seen } = this.#options;
    const extra = this.#cells.slice(columns.length).find((cell) => cell.trim() !== '');
    if (extra !== undefined)
      this.#refuse(null, `There are more cells than columns ("${extra.trim()}"). Quote texts that have commas`);
    const channelIds = this.#channelIds();
    const scheduledAt = this.#scheduledAt();
    const content = {
      text: this.#text(),
      channelIds,
      ...(scheduledAt === null ? {} : { scheduledAt }),
      media: this.#media(),
      channelOptions: this.#channelOptions(channelIds),
    };
    const ownKey = this.#key();
    const idempotencyKey = ownKey ?? rowKey(content, batch);
    const first = seen.get(idempotencyKey);
    if (first !== undefined) this.#refuse(null, `It repeats row ${first}. Remove it, or change its text or time`);
    else seen.set(idempotencyKey, this.#row);
    const post = this.#problems.length === 0 ? { ...content, idempotencyKey } : null;
    return { row: this.#row, post, hasOwnKey: ownKey !== null, problems: this.#problems };
  }

  #text(): string {
    const cells = this.#of('text').map(({ cell }) => cell);
    // An export may have a column by another of the names, which is empty: it adds no line to the text.
    const text = cells.filter((cell) => cell.trim() !== '').join('\n');
    const addresses = this.#of('address').map(({ cell }) => cell.trim());
    return [text, ...addresses.filter((address) => address !== '' && !hasAddress(text, address))]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  #channelIds(): readonly string[] {
    const { channels, channelIds = [] } = this.#options;
    const found = new Set<string>();
    for (const { cell, header } of this.#of('channels')) {
      const reading = readChannels(cell, channels);
      if (reading.ok) for (const id of reading.channelIds) found.add(id);
      else this.#refuse(header, reading.message);
    }
    if (found.size > 0) return [...found];
    if (channelIds.length === 0 && this.#problems.length === 0)
      this.#refuse(this.#headerOf('channels'), 'It names no Channel');
    return channelIds;
  }

  #scheduledAt(): string | null {
    const own = this.#of('zone')[0];
    const zone = own === undefined || own.cell.trim() === '' ? this.#options.zone : own.cell.trim();
    const [at, date, time] = [this.#first('scheduledAt'), this.#first('date'), this.#first('time')];
    const given = at ?? date ?? time;
    if (given === null) return null;
    if (at === null && (date === null || time === null)) {
      this.#refuse(given.header, date === null ? 'There is a time without a date' : 'There is a date without a time');
      return null;
    }
    const read = (text: string) => readTime(text, { zone, slashOrder: this.#options.slashOrder });
    // Some exports split the moment into two columns of which the first is called as if it were all of it.
    const reading = read(at === null ? `${date!.cell.trim()} ${time!.cell.trim()}` : joined(at.cell, time?.cell));
    if (!reading.ok) {
      this.#refuse(given.header, reading.message);
      return null;
    }
    // Spreadsheets write a bare date with midnight behind it.
    const other = at === null || time === null ? reading : read(`${dateIn(at.cell)} ${time.cell.trim()}`);
    if (!other.ok || other.instant !== reading.instant)
      this.#refuse(given.header, `There is a time here and another one in ${time!.header}. Leave one of them out`);
    return new Date(reading.instant).toISOString();
  }

  #media(): readonly CsvMedia[] {
    const altTexts = this.#of('altTexts').flatMap(({ cell }) => cell.split(/[|\n]/).map((each) => each.trim()));
    const files = this.#of('media').flatMap(({ cell, header }) => filesOf(cell).map((file) => ({ file, header })));
    if (altTexts.slice(files.length).some((text) => text !== ''))
      this.#refuse(this.#headerOf('altTexts'), `There are ${altTexts.length} texts for ${files.length} files`);
    return files.map(({ file, header }, index) => {
      const altText = altTexts[index] ?? '';
      if (/^http:/i.test(file))
        this.#refuse(header, `${file} is not https: files are fetched from https addresses only`);
      return { ...(/^https?:/i.test(file) ? { url: file } : { path: file }), ...(altText === '' ? {} : { altText }) };
    });
  }

  #channelOptions(channelIds: readonly string[]): CsvPost['channelOptions'] {
    const byChannel: Record<string, Record<string, unknown>> = {};
    const chosen = this.#options.channels.filter(({ id }) => channelIds.includes(id));
    for (const { index, header, meaning } of this.#options.columns) {
      const cell = this.#cells[index] ?? '';
      if (meaning?.kind !== 'option' || cell.trim() === '') continue;
      const targets = chosen.filter((channel) => isFor(channel, meaning.option, meaning.scope));
      const reading = readOption(meaning.option, cell);
      if (!reading.ok) this.#refuse(header, reading.message);
      else for (const { id } of targets) (byChannel[id] ??= {})[meaning.option] = reading.value;
    }
    return byChannel;
  }

  #key(): string | null {
    const given = this.#first('idempotencyKey');
    if (given === null) return null;
    if (!KEY.test(given.cell.trim())) this.#refuse(given.header, 'A key has 1 to 255 printable ASCII characters');
    return given.cell.trim();
  }

  #of(kind: string): readonly { readonly cell: string; readonly header: string }[] {
    return this.#options.columns.flatMap(({ index, header, meaning }) =>
      meaning?.kind === kind ? [{ cell: this.#cells[index] ?? '', header }] : [],
    );
  }

  #first(kind: string): { readonly cell: string; readonly header: string } | null {
    return this.#of(kind).find(({ cell }) => cell.trim() !== '') ?? null;
  }

  #headerOf(kind: string): string | null {
    return this.#of(kind)[0]?.header ?? null;
  }

  #refuse(column: string | null, message: string): void {
    this.#problems.push({ row: this.#row, column, message });
  }
}

/** Whether the address stands in the text as a whole: as the beginning of a longer one it is another address. */
function hasAddress(text: string, address: string): boolean {
  return text.split(/\s/).some((word) => {
    const at = word.indexOf(address);
    return at >= 0 && /^[\p{P}]*$/u.test(word.slice(at + address.length));
  });
}

/** Addresses are separated by white space or commas too, which paths may have in them. */
function filesOf(cell: string): readonly string[] {
  const words = cell.split(/[\s,|]+/).filter((word) => word !== '');
  if (words.every((word) => /^https?:/i.test(word))) return words;
  return cell.split(/[|\n]/).flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));
}

function isFor({ id, name, network }: NamedChannel, option: string, scope: string | null): boolean {
  if (scope === null) return OPTION_COLUMNS[option]!.networks.includes(network);
  return [id, name, network].some((each) => each.toLowerCase() === scope.toLowerCase());
}

function dateIn(moment: string): string {
  return moment.trim().split(/[T\s,]/)[0]!;
}

function joined(moment: string, time: string | undefined): string {
  const hasTime = /[\sT]\d{1,2}(?:[:.h]\d\d|\s*[ap]m)/i.test(moment.trim());
  return time === undefined || hasTime ? moment : `${moment.trim()} ${time.trim()}`;
}
