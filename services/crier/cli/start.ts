import { rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { createVideoCheck } from '#adapters/ffmpeg/presence.ts';
import { createReporter } from '#adapters/pino/reporter.ts';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import { NETWORKS } from '#domain/network.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { configWarnings } from '#config/warnings.ts';
import type { Config } from '#config/config.ts';
import { SETTINGS } from '#config/settings.ts';
import { VERSION } from '#config/version.ts';
import { ensureDemo } from '#services/admin/demo.ts';
import { createCrierProcess, type CrierProcess, type Substitutes } from '../compose/crier-process.ts';
import type { Engine } from '../engines/engine.ts';
import { withPorts } from './free-ports.ts';
import { networksOf } from '../compose/networks.ts';
import { RUNNING_FILE } from './running-installation.ts';
import { readPrivate, writePrivate } from '../engines/secrets.ts';
import { welcome, type DemoFacts, type ReadyFacts } from './welcome.ts';

/** Runs until a signal ends it. Resolves with the exit code; rejects when it can not start. */
export async function start(given: Config, substitutes: Substitutes = {}): Promise<number> {
  // Databases, media files and secrets, also those that tools of this process write, are for its user alone.
  process.umask(0o077);
  const config = await withPorts(given);
  const metrics = createMetrics({ build: { version: VERSION, engine: config.engine } });
  const reporter = createReporter({ level: config.logLevel, metrics });
  for (const warning of configWarnings(config)) reporter.report('settings-warning', { detail: warning });
  const ending = new AbortController();
  const ended = listenForSignals(ending, reporter);
  const engine = await openEngine(config, reporter);
  const videosOff = takesFiles(config) ? createVideoCheck({ ffmpeg: config.ffmpeg, ffprobe: config.ffprobe })() : null;
  let running: CrierProcess | null = null;
  try {
    running = await createCrierProcess({ config, engine, reporter, metrics, version: VERSION, substitutes });
    await Promise.race([running.supervisor.start(), ended]);
    if (running.supervisor.running)
      announceReady(await readyOf(config, engine, running), config, running, await videosOff);
    // Node writes the cache at an ordinary end only, and a process may be killed.
    flushCompileCache();
    await ended;
    await running.supervisor.drain();
  } finally {
    await running?.supervisor.stop();
    await engine.close();
    if (config.engine === 'embedded') rmSync(join(config.dataDir, RUNNING_FILE), { force: true });
  }
  return 0;
}

/** Loads the engine that is used: an embedded start does not wait for the client libraries of a cluster. */
async function openEngine(config: Config, reporter: Reporter): Promise<Engine> {
  if (config.engine === 'embedded')
    return (await import('../engines/embedded.ts')).openEmbeddedEngine(config, reporter);
  return (await import('../engines/cluster.ts')).openClusterEngine(config, reporter);
}

/** Resolves at the first signal to end; the second ends at once. */
function listenForSignals(ending: AbortController, reporter: Reporter): Promise<void> {
  return new Promise((resolve) => {
    const end = (signal: string): void => {
      if (ending.signal.aborted) process.exit(1);
      reporter.report('process-stopping', { signal });
      ending.abort();
      resolve();
    };
    process.on('SIGTERM', () => end('SIGTERM'));
    process.on('SIGINT', () => end('SIGINT'));
  });
}

async function readyOf(config: Config, engine: Engine, running: CrierProcess): Promise<ReadyFacts> {
  return {
    baseUrl: running.ingress === null ? null : (config.publicUrl ?? running.ingress.address().url),
    adminUrl: running.ops.address().url,
    sandboxUrl: running.sandbox?.address() ?? null,
    adminToken: engine.secrets.adminToken,
    demo: await demoOf(config, engine, running),
  };
}

async function demoOf(config: Config, engine: Engine, running: CrierProcess): Promise<DemoFacts | null> {
  const wanted = config.demo ?? (config.engine === 'embedded' && config.networks === 'sandbox');
  if (!wanted || running.admin === null) return null;
  const path = join(config.dataDir, 'demo.json');
  const connectable = networksOf(config, '').auths;
  return ensureDemo({
    caller: running.admin,
    networks: NETWORKS.filter((network) => connectable[network] !== undefined),
    file: { load: async () => readPrivate(path), save: async (demo) => writePrivate(path, demo) },
    ids: engine.ids,
    clock: engine.clock,
  });
}

function takesFiles({ roles }: Config): boolean {
  return roles.includes('ingress') || roles.includes('media');
}

function announceReady(ready: ReadyFacts, config: Config, running: CrierProcess, videosOff: string | null): void {
  if (config.engine === 'embedded')
    writePrivate(join(config.dataDir, RUNNING_FILE), { adminUrl: ready.adminUrl, adminToken: ready.adminToken });
  // Written whole and then renamed: a program that waits for the file reads it the moment it exists.
  if (config.readyFile !== null) writePrivate(config.readyFile, ready);
  const location =
    config.engine === 'embedded'
      ? `Everything is kept in ${config.dataDir}.`
      : `Roles of this process: ${config.roles.join(', ')}.`;
  const commandLine = (verb: string): string => `bin/crier ${verb}${dataDirFlag(config)}`;
  if (running.supervisor.running) process.stdout.write(`${welcome(ready, { location, videosOff, commandLine })}\n`);
}

function dataDirFlag({ dataDir }: Config): string {
  return dataDir === SETTINGS.dataDir.fallback ? '' : ` --data-dir='${dataDir.replaceAll("'", "'\\''")}'`;
}
