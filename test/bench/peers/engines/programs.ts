import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toolAt } from '#testing/tool-at.ts';
import { cacheFolder } from '#testing/engines/cache-folder.ts';
import { arePackagesInstalled } from '../installed-package.ts';

/** Where `make peers` unpacks what the machine lacks. */
const UNPACKED = resolve(import.meta.dirname, '../../../../.cache/peers/debian');
const LIBRARIES = join(UNPACKED, 'usr/lib/x86_64-linux-gnu');

export interface PeerPrograms {
  /** The folder with initdb and postgres. */
  readonly postgres: string;
  readonly redis: string;
  /** PostgreSQL refuses to run as root, so it runs as this user; null: as ourselves. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  /** Lets unpacked programs find unpacked libraries. */
  readonly env: Readonly<Record<string, string>>;
}

/** The programs, or one line that says what is missing and what to type. */
export function findPrograms(): PeerPrograms | string {
  const postgres = postgresFolder();
  const redis = [join(UNPACKED, 'usr/bin/redis-server')].find(existsSync) ?? toolAt('redis-server');
  const missing = [
    ...(postgres === null ? ['PostgreSQL'] : []),
    ...(redis === null ? ['Redis'] : []),
    ...(arePackagesInstalled() ? [] : ['the packages of test/bench/peers/packages/package.json']),
  ];
  if (postgres === null || redis === null || missing.length > 0)
    return `${missing.join(', ')}: missing here. Type: make peers`;
  const user = process.getuid?.() === 0 ? otherUser() : null;
  const env = existsSync(LIBRARIES) ? { LD_LIBRARY_PATH: LIBRARIES } : {};
  for (const needed of [join(postgres, 'postgres'), cacheFolder()])
    if (spawnSync('test', ['-x', needed], { ...user }).status !== 0)
      return `PostgreSQL does not run as root, and another user can't reach ${needed}`;
  return { postgres, redis, user, env };
}

function postgresFolder(): string | null {
  const roots = [UNPACKED, '/'].map((root) => join(root, 'usr/lib/postgresql'));
  const folders = roots.flatMap((root) => (existsSync(root) ? readdirSync(root).map((one) => join(root, one)) : []));
  return folders.map((folder) => join(folder, 'bin')).find((bin) => existsSync(join(bin, 'initdb'))) ?? null;
}

function otherUser(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string, name: string): number =>
    Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim() || Number.NaN);
  const uid = id('-u', 'postgres');
  return Number.isNaN(uid) ? { uid: id('-u', 'nobody'), gid: id('-g', 'nobody') } : { uid, gid: id('-g', 'postgres') };
}
