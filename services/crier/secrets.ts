import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Ids } from '#ports/ids.ts';

export interface Secrets {
  readonly adminToken: string;
  readonly secret: string;
}

const FILE = 'secrets.json';

/** The embedded installation's own secrets, made at first start and kept beside its data, readable by its owner only. */
export function keptSecrets(dataDir: string, ids: Ids): Secrets {
  const path = join(dataDir, FILE);
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  const secrets: Secrets = { adminToken: ids.token(32), secret: ids.token(48) };
  writePrivate(path, secrets);
  return secrets;
}

/** Writes JSON whole or not at all, mode 0600. */
export function writePrivate(path: string, value: unknown): void {
  const half = `${path}.new`;
  writeFileSync(half, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  chmodSync(half, 0o600);
  renameSync(half, path);
}

export function readPrivate<T>(path: string): T | null {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as T) : null;
}
