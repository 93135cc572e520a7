import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { arch, platform } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BARE_ENVIRONMENT } from './process-group.ts';

const LAUNCHER = fileURLToPath(new URL('./confine.pl', import.meta.url));
const ARCHITECTURES: readonly string[] = ['x64', 'arm64'];

/** What a program that opens the files of strangers may touch, beside itself and the libraries of the system. */
export interface Reach {
  /** Files, and folders with all that is in them. */
  readonly reads: readonly string[];
  /** Files; they have to be there when the program starts. */
  readonly writes: readonly string[];
}

/**
 * The words that stand before a command so that the kernel holds it to its reach: no other file, no network, no process
 * beside it, no signal to another. None where there is no Linux or no Perl; what the kernel itself lacks,
 * `findConfinement` says.
 */
export function confinedTo({ reads, writes }: Reach): readonly string[] {
  const perl = findPerl();
  if (perl === null) return [];
  return [
    ...[perl, LAUNCHER],
    ...reads.flatMap((path) => ['--read', path]),
    ...writes.flatMap((path) => ['--write', path]),
    '--',
  ];
}

const PACKAGE = fileURLToPath(new URL('../../../package.json', import.meta.url));

/** What Node reads to run a program of ours that lies in the folder and imports nothing beyond it. */
export function codeIn(folder: URL): readonly string[] {
  return [fileURLToPath(folder), PACKAGE];
}

export interface Confinement {
  /** The version of Landlock, which keeps programs from files that are not given to them; 0: there is none. */
  readonly landlock: number;
  /** Whether system calls are filtered: the network, other processes, signals. */
  readonly seccomp: boolean;
  /** Why there is none at all; null where the kernel was asked. */
  readonly missing: string | null;
}

/** What converters are confined by on this machine. Never rejects. */
export async function findConfinement(): Promise<Confinement> {
  const none = { landlock: 0, seccomp: false };
  if (platform() !== 'linux') return { ...none, missing: 'only Linux can confine programs' };
  if (!ARCHITECTURES.includes(arch())) return { ...none, missing: `processors of ${arch()} are not known` };
  const perl = findPerl();
  if (perl === null) return { ...none, missing: 'Perl, by which programs are confined, is not installed' };
  try {
    const { stdout } = await promisify(execFile)(perl, [LAUNCHER, '--check'], { env: BARE_ENVIRONMENT });
    const [, landlock = '0', seccomp = '0'] = /^landlock (\d+) seccomp ([01])$/m.exec(stdout) ?? [];
    return { landlock: Number(landlock), seccomp: seccomp === '1', missing: null };
  } catch (error) {
    return { ...none, missing: `the kernel could not be asked: ${(error as Error).message}` };
  }
}

/** What `findConfinement` found, for an operator. */
export function confinementWords({ landlock, seccomp, missing }: Confinement): {
  readonly isWhole: boolean;
  readonly detail: string;
} {
  const held = 'limits of time and memory, and a list of decoders';
  if (missing !== null || (landlock === 0 && !seccomp))
    return {
      isWhole: false,
      detail: `nothing but ${held}: ${missing ?? 'the kernel has neither Landlock nor seccomp'}`,
    };
  if (landlock === 0)
    return {
      isWhole: false,
      detail: `seccomp: no network, no other process. They can read what Crier can: the kernel has no Landlock (Linux 5.13), or a container's runtime keeps it away`,
    };
  if (!seccomp)
    return { isWhole: false, detail: `Landlock ${landlock}: no file but their own. The kernel has no seccomp` };
  return {
    isWhole: true,
    detail: `Landlock ${landlock} and seccomp: no file but their own, no network, no other process`,
  };
}

function findPerl(): string | null {
  if (platform() !== 'linux' || !ARCHITECTURES.includes(arch())) return null;
  const paths = BARE_ENVIRONMENT.PATH.split(':').map((folder) => join(folder, 'perl'));
  return paths.find((path) => existsSync(path)) ?? null;
}
