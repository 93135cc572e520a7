import type { EngineName } from './flags.ts';
import type { Site } from './installation.ts';
import { load } from './machine.ts';
import type { BenchRow } from './report.ts';
import type { Sizes } from './sizes.ts';

/** What a group of rows is made with. */
export interface Bench {
  readonly site: Site;
  readonly sizes: Sizes;
  /** A row is done: it is shown and kept. */
  add(row: Omit<BenchRow, 'engine' | 'durability' | 'load'>): void;
  /** What is being done, for whoever waits. */
  say(line: string): void;
}

export interface Sink {
  row(row: BenchRow): void;
  say(line: string): void;
}

export function benchOn(site: Site, sizes: Sizes, sink: Sink): Bench {
  return {
    site,
    sizes,
    // Targets are of the full sizes: fewer Variants, or a short warm-up, neither meet nor miss them.
    add: (row) =>
      sink.row({
        ...row,
        target: sizes.name === 'full' ? row.target : null,
        engine: site.engine,
        durability: site.durability,
        load: load(),
      }),
    say: (line) => sink.say(`${site.engine}: ${line}`),
  };
}

/** A bound that differs by engine. */
export function by<T>(engine: EngineName, embedded: T, cluster: T): T {
  return engine === 'embedded' ? embedded : cluster;
}

export async function times<T>(count: number, work: (run: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 1; run <= count; run++) results.push(await work(run));
  return results;
}
