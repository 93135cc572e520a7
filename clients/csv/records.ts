import { parse } from 'csv-parse/browser/esm/sync';

/** Cells, and the number that a spreadsheet gives the row. */
export interface CsvRecord {
  readonly cells: readonly string[];
  readonly row: number;
}

export type RecordsReading =
  | { readonly ok: true; readonly records: readonly CsvRecord[] }
  | { readonly ok: false; readonly line: number; readonly message: string };

/** The rows of a file that have anything in them, the header first. */
export function recordsOf(text: string): RecordsReading {
  try {
    const records = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
    }) as unknown as string[][];
    const numbered = records.map((cells, index) => ({ cells, row: index + 1 }));
    return { ok: true, records: numbered.filter(({ cells }) => cells.some((cell) => cell.trim() !== '')) };
  } catch (error) {
    const { lines = 1, code } = error as { readonly lines?: number; readonly code?: string };
    const why =
      code === 'CSV_QUOTE_NOT_CLOSED'
        ? 'A quote that begins a cell is never closed'
        : 'A quote stands inside a cell that no quote begins, or ends one too early. Quotes in a text are written twice';
    return { ok: false, line: lines, message: `Line ${lines}: ${why}` };
  }
}

/** The separator that the header row, the first that is not empty, has most of outside quotes. */
function delimiterOf(text: string): string {
  const header = (/^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text.replace(/^\uFEFF?[\r\n]*/, ''))?.[0] ?? '').replace(
    /"(?:[^"]|"")*"/g,
    '',
  );
  const counts = [',', ';', '\t'].map((mark) => ({ mark, count: header.split(mark).length }));
  return counts.sort((a, b) => b.count - a.count)[0]!.mark;
}

/** A CSV file with those cells, for programs. */
export function writeRecords(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(quoted).join(',')}\r\n`).join('');
}

/**
 * The same for a person who opens it in a spreadsheet, which would compute a cell that begins like a formula: such a
 * cell gets an apostrophe.
 */
export function writeReport(rows: readonly (readonly string[])[]): string {
  return `\uFEFF${writeRecords(rows.map((cells) => cells.map((cell) => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell))))}`;
}

function quoted(cell: string): string {
  return /[",;\r\n\t]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
