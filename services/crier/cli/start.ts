import { rmSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { confinementWords, findConfinement } from '#adapters/child-process/confinement.ts';
import { createVideoCheck } from '#adapters/ffmpeg/presence.ts';
import { settledWithin } from '#concurrency/deadline.ts';
import { LoopWatchdog } from '#adapters/node-inspector/loop-watchdog.ts';
import type { BlockedLoop } from '#adapters/node-inspector/watched-loop.ts';
import { createReporter } from '#adapters/pino/reporter.ts';
import { createMetrics } from '#adapters/prometheus/metrics.ts';
import { NETWORKS } from '#domain/network.ts';
import type { Reporter } from '#reporting/reporter.ts';
import { configWarnings, noMail } from '#config/warnings.ts';
import { environment, type Config } from '#config/config.ts';
import { SETTINGS } from '#config/settings.ts';
import { VERSION } from '#config/version.ts';
import { DEMO_EMAIL, ensureDemo } from '#services/admin/demo.ts';
import { LogLevel } from '../compose/log-level.ts';
import { openTracing } from '../compose/tracing.ts';
import { createCrierProcess, type CrierProcess, type Substitutes } from '../compose/crier-process.ts';
import type { Engine } from '../engines/engine.ts';
import { withPorts } from './free-ports.ts';
import { networksOf } from '../compose/networks.ts';
import { RUNNING_FILE, type RunningInstallation } from './running-installation.ts';
import { readPrivate, writePrivate } from '../engines/secrets.ts';
import { welcome, type DemoFacts, type ReadyFacts } from './welcome.ts';

/**
 * How long the connections to the engines may take to close. What they should still have done was done before. With the
 * time in which services stop, a process ends at most five seconds after its drain.
 */
const MAX_CLOSE_MS = 2_000;
/**
 * By how much the heap may grow over what was in use after the last full collection. On a machine with much memory V8
 * lets it grow to four times that, so that a burst leaves hundreds of megabytes of garbage behind.
 */
const HEAP_GROWTH = '--heap-growing-percent=40';

/** Runs until a signal ends it. Resolves with the exit code; rejects when it can not start. */
export async function start(given: Config, substitutes: Substitutes = {}): Promise<number> {
  // Databases, media files and secrets, also those that tools of this process write, are for its user alone.
  process.umask(0o077);
  setFlagsFromString(HEAP_GROWTH);
  const config = await withPorts(given);
  const metrics = createMetrics({ build: { version: VERSION, engine: config.engine } });
  const about = { version: VERSION, roles: config.roles, instance: hostname() };
  const reporter = createReporter({
    process: about,
    level: config.logLevel,
    accessLog: config.accessLog === true,
    metrics,
  });
  reporter.report('started', { engine: config.engine, node: process.versions.node });
  for (const warning of configWarnings(config, environment())) reporter.report('settings-warning', { detail: warning });
  const watchdog = new LoopWatchdog({
    origin: { pid: process.pid, service: 'crier', ...about, roles: config.roles.join(',') },
    onBlocked: (blocked) => reportBlocked(reporter, blocked),
    onFailed: (error) => reporter.failure('loop-watchdog-failed', error),
  });
  const ending = new AbortController();
  const mustEnd = Promise.withResolvers<never>();
  const ended = Promise.race([listenForSignals(ending, reporter), mustEnd.promise]);
  // It is waited for further down.
  ended.catch(() => undefined);
  const engine = await openEngine(config, reporter, mustEnd.reject);
  // Left by the process before. Not sooner: while that one runs, the folder is refused and the file is true.
  if (config.readyFile !== null) rmSync(config.readyFile, { force: true });
  const from = engine.clock.monotonic();
  const logLevel = new LogLevel({ usual: config.logLevel, set: reporter.setLevel, clock: engine.clock, reporter });
  const videosOff = takesFiles(config) ? createVideoCheck({ ffmpeg: config.ffmpeg, ffprobe: config.ffprobe })() : null;
  if (takesFiles(config)) void sayConfinement(reporter);
  const tracer = (await openTracing(config, environment(), { clock: engine.clock, reporter })) ?? undefined;
  let running: CrierProcess | null = null;
  try {
    running = await createCrierProcess({
      ...{ config, engine, reporter, metrics, tracer, logLevel, version: VERSION, substitutes },
      onMustEnd: mustEnd.reject,
    });
    await Promise.race([running.supervisor.start(), ended]);
    if (running.supervisor.running) {
      reporter.report('ready', { afterMs: Math.round(engine.clock.monotonic() - from) });
      const facts = await readyOf(config, engine, running);
      // Node writes the cache at an ordinary end only, and a process may be killed. The event loop stands still for it,
      // at a first start for some 200 ms, so it comes before anybody is told where to ask.
      flushCompileCache();
      await watchdog.start();
      await announce(facts, config, reporter, videosOff);
    }
    await ended;
    const endedAt = engine.clock.monotonic();
    await running.supervisor.drain();
    reporter.report('drained', { durationMs: Math.round(engine.clock.monotonic() - endedAt) });
  } finally {
    await running?.supervisor.stop();
    logLevel.stop();
    await watchdog.stop();
    // While spans are still taken in, and before the folder is let go: what the last work left is reported.
    await tracer?.end();
    // While the folder is still ours: its next process writes a file of its own.
    if (config.engine === 'embedded') rmSync(join(config.dataDir, RUNNING_FILE), { force: true });
    await settledWithin(engine.clock, MAX_CLOSE_MS, engine.close());
    reporter.report('stopped');
  }
  return 0;
}

/** Loads the engine that is used: an embedded start does not wait for the client libraries of a cluster. */
/** From so long on it is worth a warning. */
const LONG_BLOCK_MS = 100;

function reportBlocked(reporter: Reporter, blocked: BlockedLoop): void {
  const { work, blockedMs, stack } = blocked;
  if (blockedMs >= LONG_BLOCK_MS) reporter.report('event-loop-blocked', { ...blocked });
  else if (stack !== null) reporter.report('event-loop-held', { ...blocked });
  else reporter.report('event-loop-held-unnamed', { work, blockedMs });
}

async function openEngine(config: Config, reporter: Reporter, onLost: (error: Error) => void): Promise<Engine> {
  if (config.engine === 'embedded')
    return (await import('../engines/embedded.ts')).openEmbeddedEngine(config, reporter, onLost);
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
  const demo = await ensureDemo({
    caller: running.admin,
    networks: NETWORKS.filter((network) => connectable[network] !== undefined),
    file: { load: async () => readPrivate(path), save: async (demo) => writePrivate(path, demo) },
    ids: engine.ids,
    clock: engine.clock,
    onRefused: (network, message) =>
      void process.stderr.write(`crier: the demo Workspace has no Channel on ${network}: ${message}\n`),
  });
  const signInUrl = running.demoLink === null ? null : await running.demoLink(DEMO_EMAIL);
  return { ...demo, email: DEMO_EMAIL, signInUrl };
}

function takesFiles({ roles }: Config): boolean {
  return roles.includes('ingress') || roles.includes('media');
}

/** Said once: the kernel does not change while the process lives. */
async function sayConfinement(reporter: Reporter): Promise<void> {
  const { isWhole, detail } = confinementWords(await findConfinement());
  if (isWhole) reporter.report('converters-confined', { detail });
  else reporter.report('settings-warning', { detail: `Programs that open uploaded files are confined by ${detail}` });
}

/** Says where everything is: to programs in files, and to the person who started it. */
async function announce(
  ready: ReadyFacts,
  config: Config,
  reporter: Reporter,
  videosOff: Promise<string | null> | null,
): Promise<void> {
  const noVideos = await videosOff;
  if (config.engine === 'embedded')
    writePrivate(join(config.dataDir, RUNNING_FILE), {
      adminUrl: ready.adminUrl,
      adminToken: ready.adminToken,
      adminCa: config.adminTlsCa === null ? null : resolve(config.adminTlsCa),
    } satisfies RunningInstallation);
  // Written whole and then renamed: a program that waits for the file reads it the moment it exists.
  if (config.readyFile !== null) writePrivate(config.readyFile, ready);
  if (config.engine === 'embedded') process.stdout.write(`${greetingOf(ready, config, noVideos)}\n`);
  // Of a cluster nobody watches the terminal, and a collector of logs takes nothing but JSON.
  else if (noVideos !== null) reporter.report('settings-warning', { detail: noVideos });
}

function greetingOf(ready: ReadyFacts, config: Config, videosOff: string | null): string {
  const commandLine = (verb: string): string => `bin/crier ${verb}${dataDirFlag(config)}`;
  const location = `Everything is kept in ${config.dataDir}.`;
  return welcome(ready, {
    location,
    videosOff,
    mailOff: noMail(config),
    canaryEverySeconds: canaryOf(config),
    commandLine,
  });
}

function canaryOf({ canary, canaryEverySeconds }: Config): number | null {
  return canary === 'on' ? canaryEverySeconds : null;
}

function dataDirFlag({ dataDir }: Config): string {
  return dataDir === SETTINGS.dataDir.fallback ? '' : ` --data-dir='${dataDir.replaceAll("'", "'\\''")}'`;
}
