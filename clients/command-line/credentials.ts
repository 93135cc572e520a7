import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Terminal } from './terminal.ts';
import { CommandRefusal } from './usage-error.ts';

export interface SavedKey {
  readonly url: string;
  readonly key: string;
}

interface CredentialsFile {
  readonly profiles: Readonly<Record<string, SavedKey>>;
}

/** $XDG_CONFIG_HOME/crier/credentials.json */
export function credentialsPath({ environment }: Pick<Terminal, 'environment'>): string {
  const folder = environment['XDG_CONFIG_HOME'] || join(environment['HOME'] || homedir(), '.config');
  return join(folder, 'crier', 'credentials.json');
}

/**
 * Where to call and with which key: of CRIER_URL and CRIER_KEY, which win over the file. Throws CommandRefusal, also
 * for a file that others could read, and where a key of the file would go to another installation than it is for.
 */
export function findKey(terminal: Terminal, profile: string): SavedKey {
  const { CRIER_URL: url = '', CRIER_KEY: key = '' } = terminal.environment;
  if (url !== '' && key !== '') return { url, key };
  const { profiles } = readFile(credentialsPath(terminal));
  const saved = profiles[profile];
  if (saved !== undefined) {
    if (url !== '' && key === '' && url.replace(/\/+$/, '') !== saved.url)
      throw new CommandRefusal(
        `CRIER_URL is ${url}, and the key of the profile "${profile}" is for ${saved.url}. Set CRIER_KEY, too, or unset CRIER_URL`,
      );
    return { url: url || saved.url, key: key || saved.key };
  }
  const names = Object.keys(profiles);
  throw new CommandRefusal(
    profile === 'default' || names.length === 0
      ? 'you are not signed in. Type crier login --url https://... --key ..., or set CRIER_URL and CRIER_KEY'
      : `there is no profile "${profile}". There are ${names.join(', ')}; crier login --profile ${profile} makes it`,
  );
}

export function saveKey(terminal: Terminal, profile: string, saved: SavedKey): void {
  const path = credentialsPath(terminal);
  writeFile(path, { profiles: { ...readFile(path).profiles, [profile]: saved } });
}

/** Whether there was one. */
export function forgetKey(terminal: Terminal, profile: string): boolean {
  const path = credentialsPath(terminal);
  const { [profile]: gone, ...profiles } = readFile(path).profiles;
  if (gone !== undefined) writeFile(path, { profiles });
  return gone !== undefined;
}

function readFile(path: string): CredentialsFile {
  let text: string;
  try {
    // Windows has no such modes.
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw new CommandRefusal(`${path} has keys in it and others can read it. Type chmod 600 '${path}'`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw error;
  }
  try {
    const { profiles = {} } = JSON.parse(text) as Partial<CredentialsFile>;
    return { profiles };
  } catch {
    throw new CommandRefusal(`${path} is damaged. Remove it and sign in again with crier login`);
  }
}

/** Written whole beside it and then renamed: a reader sees the old keys or the new ones. */
function writeFile(path: string, file: CredentialsFile): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });
  // The mode above is of new files only.
  chmodSync(next, 0o600);
  renameSync(next, path);
}
