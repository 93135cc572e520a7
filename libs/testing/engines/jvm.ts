import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * How the JVM of Kafka or Cassandra is set. `tests`: it starts fast and stays small, by the first compiler alone, the
 * serial collector and a small heap. `operator`: as those set it who run the server for months, by both compilers, G1
 * and a heap of 1 GiB; benchmarks can ask for it.
 */
export const JVM_PROFILES = ['tests', 'operator'] as const;
export type JvmProfile = (typeof JVM_PROFILES)[number];

/** Of an engine that runs. `image`: in a container, whose image sets its JVM. */
export type EngineJvm = JvmProfile | 'image';

/** For people who read what was measured. */
export const JVM_WORDS: Readonly<Record<EngineJvm, string>> = {
  tests:
    'JVMs as tests set them: first compiler alone, serial collector, at most 512 MiB of heap (Kafka), 384 (Cassandra)',
  operator: 'JVMs as operators set them: both compilers, G1, 1 GiB of heap each',
  image: 'JVMs as the images of the engines set them',
};

/** The second compiler and a collector with threads of its own would take a short life more time than they save. */
export const SMALL_JVM: readonly string[] = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

const OPERATOR_HEAP = '1g';

/** Heap, collector and compilers of a server. `heapOfTests`: at its start, and at most. */
export function jvmFlags(profile: JvmProfile, [least, most]: readonly [string, string]): readonly string[] {
  return profile === 'tests'
    ? [`-Xms${least}`, `-Xmx${most}`, ...SMALL_JVM]
    : [`-Xms${OPERATOR_HEAP}`, `-Xmx${OPERATOR_HEAP}`, '-XX:+UseG1GC', '-XX:+TieredCompilation'];
}

/** An archive of an engine's loaded classes, which halves the time of a start. */
export interface ClassArchive {
  /** Of the JVM that reads it, or writes it. */
  readonly flags: readonly string[];
  /** What the JVM writes when it ends in good order; null: nothing. */
  readonly written: string | null;
}

/**
 * Read where `file` is, else written into `folder`, to become it. A JVM of operators does neither: what it would write
 * is of other flags than tests have, and its start is not measured.
 */
export function classArchive(profile: JvmProfile, file: string, folder: string): ClassArchive {
  if (profile === 'operator') return { flags: [], written: null };
  if (existsSync(file)) return { flags: [`-XX:SharedArchiveFile=${file}`], written: null };
  const written = resolve(folder, 'classes.jsa');
  return { flags: [`-XX:ArchiveClassesAtExit=${written}`], written };
}
