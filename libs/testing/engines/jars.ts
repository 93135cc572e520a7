import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { alone, cacheFolder } from './cache-folder.ts';

const run = promisify(execFile);
const MAVEN_DEADLINE_MS = 10 * 60_000;

export interface JarSet {
  readonly name: string;
  readonly version: string;
  /** Maven coordinates `group:artifact:version`. */
  readonly artifacts: readonly string[];
}

// Kafka 4.4.0 misses an artifact on Maven Central; Cassandra's `release` there is an alpha of 6.0. Hence exact
// versions.
export const KAFKA_JARS: JarSet = {
  name: 'kafka',
  version: '4.3.1',
  artifacts: ['org.apache.kafka:kafka_2.13:4.3.1', 'org.slf4j:slf4j-simple:1.7.36'],
};
export const CASSANDRA_JARS: JarSet = {
  name: 'cassandra',
  version: '5.0.9',
  artifacts: ['org.apache.cassandra:cassandra-all:5.0.9'],
};

export interface Jars {
  /**
   * Every jar by name, in a fixed order: a class-data archive is only used with the class path that it was made for.
   */
  readonly classPath: string;
  readonly archive: string;
}

/** The reason why no engine can run from jars here; null when it can. */
export async function jarsTrouble(): Promise<string | null> {
  for (const [tool, flag] of [
    ['java', '-version'],
    ['mvn', '-v'],
  ] as const) {
    const works = await run(tool, [flag]).then(
      () => true,
      () => false,
    );
    if (!works) return `${tool} is not installed`;
  }
  return null;
}

/**
 * The jars of an engine with all their dependencies, fetched from Maven Central when they are not in the cache. Any
 * number of processes may call it at once: one fetches, and a set of jars appears as a whole or not at all.
 */
export async function ensureJars(set: JarSet): Promise<Jars> {
  const home = resolve(cacheFolder(), `${set.name}-${set.version}`);
  if (!existsSync(home)) {
    // One lock for all sets: two Maven runs on one local repository corrupt each other's downloads.
    await alone(resolve(cacheFolder(), 'maven.lock'), () =>
      existsSync(home) ? Promise.resolve() : fetchJars(set, home),
    );
  }
  const lib = resolve(home, 'lib');
  const jars = readdirSync(lib)
    .filter((file) => file.endsWith('.jar'))
    .sort();
  return { classPath: jars.map((jar) => resolve(lib, jar)).join(':'), archive: resolve(home, 'classes.jsa') };
}

async function fetchJars(set: JarSet, home: string): Promise<void> {
  const fresh = `${home}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  await writeFile(resolve(fresh, 'pom.xml'), pom(set));
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  try {
    await run(
      'mvn',
      ['-q', '-B', '-ntp', goal, `-DoutputDirectory=${resolve(fresh, 'lib')}`, '-DincludeScope=runtime'],
      {
        cwd: fresh,
        timeout: MAVEN_DEADLINE_MS,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
  } catch (error) {
    const said = String((error as { stdout?: string }).stdout ?? '')
      .split('\n')
      .find((line) => line.startsWith('[ERROR]'));
    throw new Error(`mvn could not fetch ${set.name} ${set.version}: ${said ?? String(error)}`, { cause: error });
  }
  await rename(fresh, home);
}

function pom(set: JarSet): string {
  const dependencies = set.artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion>
<groupId>crier</groupId><artifactId>engine-${set.name}</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
${dependencies.join('\n')}
</dependencies>
</project>
`;
}
