import stringWidth from 'string-width';
import { harmless } from './terminal.ts';

export interface TextColumn<T> {
  readonly head: string;
  readonly cell: (row: T) => string;
  /** Given after the width is known, so that colour takes no room. */
  readonly paint?: (text: string, row: T) => string;
  /** The column that gives way when the terminal is narrow. */
  readonly flexible?: boolean;
}

const GAP = '  ';
const NARROWEST_FLEXIBLE = 12;

/** Rows under heads, as wide as the terminal at most: characters of any width line up, and long cells end in `…`. */
export function tableOf<T>(rows: readonly T[], columns: readonly TextColumn<T>[], terminalColumns: number): string {
  const cells = rows.map((row) => columns.map(({ cell }) => oneLine(cell(row))));
  const widths = columns.map(({ head }, index) =>
    Math.max(stringWidth(head), ...cells.map((line) => stringWidth(line[index]!))),
  );
  const flexible = columns.findIndex((column) => column.flexible === true);
  const excess = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - terminalColumns;
  if (excess > 0 && flexible >= 0) widths[flexible] = Math.max(NARROWEST_FLEXIBLE, widths[flexible]! - excess);
  const line = (texts: readonly string[], paint: (text: string, index: number) => string): string =>
    texts
      .map((text, index) => paint(fitted(text, widths[index]!), index))
      .join(GAP)
      .trimEnd();
  return [
    line(
      columns.map(({ head }) => head),
      (text) => text,
    ),
    ...rows.map((row, place) => line(cells[place]!, (text, index) => columns[index]!.paint?.(text, row) ?? text)),
  ].join('\n');
}

/** Names and values below each other. */
export function pairsOf(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...pairs.map(([name]) => stringWidth(name)));
  return pairs.map(([name, value]) => `${fitted(name, width)}${GAP}${harmless(value)}`).join('\n');
}

function oneLine(text: string): string {
  return harmless(text.replace(/\s+/g, ' ').trim());
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Cut or padded to exactly this many columns. */
function fitted(text: string, width: number): string {
  const own = stringWidth(text);
  if (own <= width) return text + ' '.repeat(width - own);
  let [kept, columns] = ['', 0];
  for (const { segment } of GRAPHEMES.segment(text)) {
    const more = stringWidth(segment);
    if (columns + more > width - 1) break;
    kept += segment;
    columns += more;
  }
  return `${kept}…${' '.repeat(width - columns - 1)}`;
}
