import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineJvm } from '#testing/engines/jvm.ts';
import type { EngineName } from './flags.ts';
import type { PeerName } from './peers/peer.ts';

/** One line of the table. Figures by name, with their unit in the name. */
export interface BenchRow {
  readonly group: string;
  readonly what: string;
  /** Of Crier, or what stands beside it. */
  readonly engine: EngineName | PeerName;
  /** How a write is made durable. */
  readonly durability: string;
  /** How the JVMs of its engines were set; null: it has none. */
  readonly jvm: EngineJvm | null;
  /** Requests per minute and key; 0 = off. */
  readonly rateLimit: number;
  readonly figures: Readonly<Record<string, number>>;
  /** The figures of each turn beside peers, in their order; `figures` is made of them. */
  readonly turns?: readonly Readonly<Record<string, number>>[];
  /** The bound on the figures; null: none (a floor, or a fact for information). */
  readonly target: BenchTarget | null;
  /** How it was measured: sizes, runs, warm-up. */
  readonly how: string;
  /** One-minute load of the machine when the row was finished; the benchmark's own work is included. */
  readonly load: number;
}

export interface BenchTarget {
  readonly text: string;
  readonly met: boolean;
}

/** `atMost` and `atLeast` by figure. */
export function target(
  text: string,
  figures: Readonly<Record<string, number>>,
  bounds: { readonly atMost?: Readonly<Record<string, number>>; readonly atLeast?: Readonly<Record<string, number>> },
): BenchTarget {
  const low = Object.entries(bounds.atMost ?? {}).every(([name, most]) => figures[name]! <= most);
  const high = Object.entries(bounds.atLeast ?? {}).every(([name, least]) => figures[name]! >= least);
  return { text, met: low && high };
}

const HEADINGS = ['row', 'engine', 'durability', 'JVM', 'limit', 'figures', 'target', 'met', 'load'] as const;

/** The rows as a Markdown table that is also readable in a terminal. */
export function table(rows: readonly BenchRow[]): string {
  const cells = rows.map((row) => [
    row.what,
    row.engine,
    row.durability,
    // Results that are older than this field have none.
    row.jvm ?? '',
    row.rateLimit === 0 ? 'off' : `${row.rateLimit}/min`,
    figuresOf(row),
    row.target?.text ?? '',
    metOf(row),
    String(row.load),
  ]);
  return markdown(HEADINGS, cells);
}

/** A table in Markdown that is readable in a terminal too. */
export function markdown(headings: readonly string[], cells: readonly (readonly string[])[]): string {
  const all = [headings, ...cells];
  const widths = headings.map((_, column) => Math.max(...all.map((line) => line[column]!.length)));
  const line = (parts: readonly string[]): string =>
    `| ${parts.map((part, column) => part.padEnd(widths[column]!)).join(' | ')} |`;
  return [line(headings), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...cells.map(line)].join('\n');
}

function metOf({ target: asked }: BenchRow): string {
  if (asked === null) return '';
  return asked.met ? 'yes' : 'NO';
}

function figuresOf({ figures }: BenchRow): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${shown(value)}`)
    .join(', ');
}

/** Rounded to what a person compares. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return String(Math.round(value));
  return String(Math.round(value * 100) / 100);
}

/** Writes the complete results of a run; returns the file's name. */
export function writeResults(folder: string, name: string, results: unknown): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  return file;
}
