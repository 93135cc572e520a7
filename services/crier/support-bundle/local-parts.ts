import { open, readdir, stat } from 'node:fs/promises';
import { availableParallelism, freemem, hostname, loadavg, release, totalmem, uptime } from 'node:os';
import { join, resolve } from 'node:path';
import { settingsAsSet, type Environment } from '#config/config.ts';
import type { SettingName } from '#config/settings.ts';
import { VERSION } from '#config/version.ts';
import { RELEASE } from '#tables/release.ts';
import { SCHEMA_VERSION } from '#tables/repositories/installation.ts';
import type { DoctorFinding } from '../doctor/finding.ts';
import type { BundlePart } from './bundle-part.ts';

export interface LocalPartsOptions {
  readonly env: Environment;
  readonly overrides: Partial<Record<SettingName, string>>;
  readonly dataDir: string;
  readonly doctor: () => Promise<readonly DoctorFinding[]>;
  /** The file that the log of the server goes to; null: none was named. */
  readonly log: string | null;
}

const DEADLINE_MS = 5_000;
const DOCTOR_DEADLINE_MS = 45_000;
const MAX_LOG_BYTES = 2_097_152;

/** What can be said without a server. */
export function localParts({ env, overrides, dataDir, doctor, log }: LocalPartsOptions): readonly BundlePart[] {
  return [
    { file: 'versions.json', deadlineMs: DEADLINE_MS, gather: async () => versions() },
    { file: 'settings.json', deadlineMs: DEADLINE_MS, gather: async () => settingsAsSet(env, overrides) },
    { file: 'data-folder.json', deadlineMs: DEADLINE_MS, gather: () => filesIn(dataDir) },
    { file: 'doctor.json', deadlineMs: DOCTOR_DEADLINE_MS, gather: async () => (await doctor()).map(withoutWords) },
    { file: 'log.jsonl', deadlineMs: DEADLINE_MS, gather: () => (log === null ? noLog() : endOfLog(log)) },
  ];
}

function withoutWords({ hasWordsOfPeople, ...finding }: DoctorFinding): DoctorFinding {
  return hasWordsOfPeople === true
    ? { ...finding, detail: 'It has words of a person, and is left out: publishing.status.json says what is held.' }
    : finding;
}

function versions(): object {
  return {
    crier: VERSION,
    schemaVersion: SCHEMA_VERSION,
    format: RELEASE.format,
    ...{ node: process.versions.node, openssl: process.versions.openssl, sqlite: process.versions['sqlite'] ?? null },
    ...{ platform: process.platform, kernel: release(), architecture: process.arch, host: hostname() },
    machine: {
      cores: availableParallelism(),
      memoryBytes: totalmem(),
      freeMemoryBytes: freemem(),
      load: loadavg(),
      upSeconds: Math.round(uptime()),
    },
  };
}

/** Names and sizes of what lies in the data folder; folders are not looked into. */
async function filesIn(dataDir: string): Promise<object> {
  const files = await readdir(dataDir, { withFileTypes: true });
  const described = files.map(async (file) => {
    const found = await stat(join(dataDir, file.name)).catch(() => null);
    const mode = found === null ? null : (found.mode & 0o777).toString(8);
    return { name: file.name, folder: file.isDirectory(), bytes: found?.size ?? null, mode };
  });
  return { folder: resolve(dataDir), files: await Promise.all(described) };
}

async function noLog(): Promise<string> {
  throw new Error(
    'Crier writes its log to stderr and keeps none. Name a file that holds the end of it: for example ' +
      'journalctl -u crier -o cat -n 5000 > crier.log, or kubectl logs POD > crier.log, then ' +
      'crier support-bundle --log=crier.log',
  );
}

/** The last lines that are JSON: everything else in the file is not ours. */
async function endOfLog(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MAX_LOG_BYTES);
    const bytes = Buffer.alloc(size - from);
    await file.read(bytes, 0, bytes.length, from);
    // The first line may be cut.
    const lines = bytes
      .toString('utf8')
      .split('\n')
      .slice(from === 0 ? 0 : 1);
    return `${lines.flatMap(lineWithoutWords).join('\n')}\n`;
  } finally {
    await file.close();
  }
}

/** Of holds, who set or ended them and why: people write that. */
const EVENTS_WITH_WORDS: ReadonlySet<unknown> = new Set(['publishing-held', 'publishing-released']);

/** Lines that are no JSON are left out. */
function lineWithoutWords(line: string): readonly string[] {
  if (!line.startsWith('{')) return [];
  try {
    const { by: _by, reason: _reason, ...facts } = JSON.parse(line) as Record<string, unknown>;
    return [EVENTS_WITH_WORDS.has(facts['event']) ? JSON.stringify(facts) : line];
  } catch {
    return [];
  }
}
