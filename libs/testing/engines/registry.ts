import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

import { alone, cacheFolder, newRunFolder } from './cache-folder.ts';
import { EngineProcess, freePorts } from './process.ts';

const run = promisify(execFile);
// Version 3.3 and later need Java 21.
const VERSION = '3.0.9';
const ARTIFACT = `io.apicurio:apicurio-registry-app:${VERSION}:tar.gz:all`;
const FETCH_DEADLINE_MS = 5 * 60_000;

export interface RegistryEngine {
  /** The address of its Confluent API. */
  readonly url: string;
  stop(): Promise<void>;
}

/** An empty Apicurio schema registry in memory. Rejects when it can't be fetched or started here. */
export async function startRegistry(): Promise<RegistryEngine> {
  const home = await ensureRegistry();
  const folder = newRunFolder('registry');
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}/apis/ccompat/v7`;
  const logFile = resolve(cacheFolder(), 'logs', `${folder.split('/').at(-1)}.log`);
  await mkdir(resolve(logFile, '..'), { recursive: true });
  const registry = new EngineProcess({
    name: 'Apicurio registry',
    command: 'java',
    args: [
      ...['-Xms64m', '-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
      ...['-Dquarkus.http.host=127.0.0.1', `-Dquarkus.http.port=${port}`],
      ...['-jar', resolve(home, `apicurio-registry-app-${VERSION}-runner.jar`)],
    ],
    env: {},
    logFile,
    probe: async () => {
      const answer = await fetch(`${url}/subjects`, { signal: AbortSignal.timeout(10_000) });
      if (!answer.ok) throw new Error(`it answers ${answer.status}`);
    },
    readyWithinMs: 240_000,
  });
  await registry.start();
  return {
    url,
    stop: async () => {
      await registry.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Like `ensureJars`; but this one is a tar whose parent pom isn't on Maven Central, so it is copied alone. */
async function ensureRegistry(): Promise<string> {
  const home = resolve(cacheFolder(), `apicurio-${VERSION}`);
  if (!existsSync(home)) {
    await alone(resolve(cacheFolder(), 'maven.lock'), () =>
      existsSync(home) ? Promise.resolve() : fetchRegistry(home),
    );
  }
  return home;
}

async function fetchRegistry(home: string): Promise<void> {
  const fresh = `${home}.${process.pid}`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    // Version 3 of the plugin requires the parent pom.
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:2.8:copy';
    await run('mvn', ['-q', '-B', '-ntp', goal, `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${fresh}`], {
      cwd: fresh,
      timeout: FETCH_DEADLINE_MS,
    });
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  const archive = resolve(fresh, `apicurio-registry-app-${VERSION}-all.tar.gz`);
  await run('tar', ['-xzf', archive, '-C', fresh]);
  await rm(archive);
  await rename(fresh, home);
}
