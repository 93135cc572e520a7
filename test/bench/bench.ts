import { JVM_WORDS } from '#testing/engines/jvm.ts';
import type { EngineName } from './flags.ts';
import type { Site } from './installation.ts';
import { load } from './machine.ts';
import type { BenchRow } from './report.ts';
import type { Sizes } from './sizes.ts';

/** The options of a group of rows. */
export interface Bench {
  readonly site: Site;
  readonly sizes: Sizes;
  /** Called with each finished row, to print and store it. */
  add(row: Omit<BenchRow, 'engine' | 'durability' | 'jvm' | 'load'>): void;
  /** Prints what is being measured, for the person who waits. */
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
    // Targets are for the full sizes: with fewer Variants, or a short warm-up, no target is judged.
    add: (row) =>
      sink.row({
        ...row,
        target: sizes.name === 'full' ? row.target : null,
        engine: site.engine,
        durability: site.durability,
        jvm: site.jvm,
        how: site.jvm === null ? row.how : `${row.how}; ${JVM_WORDS[site.jvm]}`,
        load: load(),
      }),
    say: (line) => sink.say(`${site.engine}: ${line}`),
  };
}

/** A value that differs by engine. */
export function by<T>(engine: EngineName, embedded: T, cluster: T): T {
  return engine === 'embedded' ? embedded : cluster;
}

export async function times<T>(count: number, work: (run: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let run = 1; run <= count; run++) results.push(await work(run));
  return results;
}
