import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { isDataFolderHeld } from '#adapters/sqlite/data-folder.ts';
import { createTrustingFetch } from '#adapters/undici/trusting-fetch.ts';
import { ConfigError, type Config } from '#config/config.ts';
import { internalUrlOf } from '#config/own-addresses.ts';
import { readEngineFiles } from '#config/pem-files.ts';
import type { Role } from '#config/settings.ts';
import { PortError } from '#ports/errors.ts';
import type { Health } from '#runtime/health.ts';
import { RUNNING_FILE, type RunningInstallation } from '../cli/running-installation.ts';
import { readPrivate } from '../engines/secrets.ts';
import type { DoctorFinding } from './finding.ts';
import { tlsTrouble } from './tls-trouble.ts';

/** More than a process needs for the checks of its engines. */
const ANSWER_MS = 10_000;

export async function listenerFindings(config: Config, inPod: boolean): Promise<readonly DoctorFinding[]> {
  try {
    return [...publicCertificate(config), ...(await addressFindings(config, inPod))];
  } catch (error) {
    if (!(error instanceof PortError)) throw error;
    return [{ check: 'data folder', ok: false, detail: error.message }];
  }
}

/** Its files end a start that can not use them, and no other command reads them. */
function publicCertificate(config: Config): readonly DoctorFinding[] {
  const isServed = config.roles.includes('ingress') || config.roles.includes('app');
  if (!isServed || config.tlsCert === null || config.tlsKey === null) return [];
  try {
    readEngineFiles('public', config);
    return [{ check: 'API certificate', ok: true, detail: config.tlsCert }];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [{ check: 'API certificate', ok: false, detail: error.problems.join('; ') }];
  }
}

/** A process that runs already has the ports, and knows better than any look from outside whether it is well. */
async function addressFindings(config: Config, inPod: boolean): Promise<readonly DoctorFinding[]> {
  // The file alone says nothing: a process that was killed left it.
  if (config.engine === 'embedded' && isDataFolderHeld(config.dataDir)) {
    const running = readPrivate<RunningInstallation>(`${config.dataDir}/${RUNNING_FILE}`);
    const address = running ?? { adminUrl: internalUrlOf(config) };
    return [...(await ports(config, true)), await health({ adminCa: config.adminTlsCa, ...address })];
  }
  return inPod ? [await health({ adminUrl: internalUrlOf(config), adminCa: config.adminTlsCa })] : ports(config, false);
}

/** What the running process says of itself. */
async function health({
  adminUrl,
  adminCa = null,
}: Pick<RunningInstallation, 'adminUrl' | 'adminCa'>): Promise<DoctorFinding> {
  const client = createTrustingFetch(() => (adminCa === null ? undefined : readFileSync(adminCa, 'utf8')));
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const answer = await client.fetch(`${adminUrl}/health/ready`, { signal });
    const { status } = answer;
    const { checks } = (await answer.json()) as Pick<Health, 'checks'>;
    const troubles = checks.flatMap(({ name, trouble }) => (trouble === null ? [] : [`${name}: ${trouble}`]));
    const ok = status === 200;
    return { check: 'running process', ok, detail: [ok ? 'ready' : 'not ready', ...troubles].join('; ') };
  } catch (error) {
    return { check: 'running process', ok: false, detail: `${adminUrl} does not answer: ${reasonOf(error)}` };
  } finally {
    await client.close();
  }
}

/** Of TLS in a sentence that names the setting. fetch itself only says that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return tlsTrouble('admin', error) ?? (cause instanceof Error ? cause.message : message);
}

/** Of this process's roles only: a pod has one of them, and the others' ports are theirs. */
async function ports(config: Config, running: boolean): Promise<readonly DoctorFinding[]> {
  const serves = (...roles: readonly Role[]): boolean => roles.some((role) => config.roles.includes(role));
  const wanted: Readonly<Record<string, readonly [host: string, port: number]>> = {
    ...(serves('ingress', 'app') && { API: [config.host, config.port] }),
    admin: [config.adminHost, config.adminPort],
    ...(serves('sandbox') && config.networks === 'sandbox' && { sandbox: [config.sandboxHost, config.sandboxPort] }),
  };
  return Promise.all(
    Object.entries(wanted).map(async ([what, [host, port]]) => {
      const free = port === 0 || (await canListen(host, port));
      if (free) return { check: `${what} port`, ok: true, detail: `${port} is free` };
      return {
        check: `${what} port`,
        ok: running,
        detail: running
          ? `${port} is in use, and Crier runs on this data folder`
          : `${port} is in use by another program: choose another`,
      };
    }),
  );
}

function canListen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
}
