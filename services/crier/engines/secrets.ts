import { closeSync, constants, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ids } from '#ports/ids.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export interface Secrets {
  readonly adminToken: string;
  readonly secret: string;
}

const FILE = 'secrets.json';

/**
 * The embedded installation's own secrets, made at first start and kept beside its data, readable by its owner only.
 */
export function loadSecrets(dataDir: string, ids: Ids): Secrets {
  const path = join(dataDir, FILE);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  const secrets: Secrets = { adminToken: ids.token(32), secret: ids.token(48) };
  writePrivate(path, secrets);
  return secrets;
}

/**
 * Writes JSON whole or not at all, for this user alone: into a new file beside `path` that then takes its place.
 * Writing into one that is there would keep its mode, follow it where it is a link, and tell everybody who holds it
 * open.
 */
export function writePrivate(path: string, value: unknown): void {
  const half = `${path}.new`;
  rmSync(half, { force: true });
  const file = openSync(half, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { flush: true });
  } finally {
    closeSync(file);
  }
  renameSync(half, path);
}

export function readPrivate<T>(path: string): T | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
}
