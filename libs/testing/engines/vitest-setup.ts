import type { TestProject } from 'vitest/node';

import { obtainCassandra, obtainKafka, type EngineOrReason } from '../engines.ts';
import type { SharedEngine } from './shared.ts';

/**
 * Starts the engines that the test files of this run need, once, passes their addresses to them, and ends the engines
 * after the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Vitest's types leave out the file names of the command line; without them every engine would be started every time.
  const asked = (project.vitest as unknown as { readonly filenamePattern?: string[] }).filenamePattern;
  const { testFiles } = await project.globTestFiles(asked);
  const needs = (engine: 'kafka' | 'cassandra') =>
    testFiles.some((file) => file.includes(`.${engine}.test.`) || file.includes('.cluster.test.'));
  const notes: string[] = [];
  const stops: (() => Promise<void>)[] = [];

  const share = async <A>(needed: boolean, obtain: () => Promise<EngineOrReason<A>>): Promise<SharedEngine<A>> => {
    if (!needed) return { address: null, missing: 'no test file of this run asks for it by its name' };
    const engine = await obtain();
    if (engine.missing !== null) {
      notes.push(engine.missing);
      return { address: null, missing: engine.missing };
    }
    console.log(`engines: ${engine.how}`);
    stops.push(engine.stop);
    return { address: engine.address, missing: null };
  };

  // One after the other: two JVMs that start at once on few cores take longer than both in turn.
  try {
    project.provide('kafka', await share(needs('kafka'), obtainKafka));
    project.provide('cassandra', await share(needs('cassandra'), obtainCassandra));
  } catch (error) {
    await Promise.all(stops.map((stop) => stop()));
    throw error;
  }
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    for (const note of notes) console.log(`engines: suites were SKIPPED: ${note}`);
  };
}
