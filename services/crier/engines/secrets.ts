import { closeSync, constants, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PortError } from '#ports/errors.ts';
import type { Ids } from '#ports/ids.ts';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;

export interface Secrets {
  readonly adminToken: string;
  readonly secret: string;
}

const FILE = 'secrets.json';

/**
 * The secrets of an embedded installation, made at the first start and kept in its data folder, readable by its owner
 * only.
 */
export function loadSecrets(dataDir: string, ids: Ids): Secrets {
  const path = join(dataDir, FILE);
  const kept = readPrivate<Secrets>(path);
  if (kept !== null) return kept;
  const secrets: Secrets = { adminToken: ids.token(32), secret: ids.token(48) };
  writePrivate(path, secrets);
  return secrets;
}

/**
 * Writes JSON whole or not at all, readable by this user alone: into a new file, which is then renamed to `path`.
 * Writing into an existing file would keep its mode, follow it where it is a link, and show the content to every
 * process that holds it open.
 */
export function writePrivate(path: string, value: unknown): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`, { flush: true });
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** What `writePrivate` wrote; null: there is no such file. Throws `PortError` where it is something else. */
export function readPrivate<T>(path: string): T | null {
  if (!existsSync(path)) return null;
  const text = readFileSync(path, 'utf8');
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new PortError('refused', `${path} is no JSON any more; put it back as it was, as from a backup`);
  }
}
