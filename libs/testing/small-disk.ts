import { execFile } from 'node:child_process';
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own in memory, which can be filled to the last byte and freed again. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Mounts it at an empty folder. Null where mounting is not allowed. `size` as mount takes it: `16m`. */
  static async mount(path: string, size: string): Promise<SmallDisk | null> {
    if (process.getuid!() !== 0) return null;
    return run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', path]).then(
      () => new SmallDisk(path),
      () => null,
    );
  }

  fill(): void {
    fillUp(this.#ballast, this.path);
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  /** Rejects while a process has files open on it. */
  async unmount(): Promise<void> {
    await run('umount', [this.path]);
  }

  get #ballast(): string {
    return join(this.path, 'ballast');
  }
}

/** To the last byte: whole pages first, then single bytes. */
function fillUp(file: string, disk: string): void {
  const ballast = openSync(file, 'w');
  for (let size = 1 << 20; size >= 1;) {
    try {
      writeSync(ballast, Buffer.alloc(size));
    } catch {
      size = size >> 1;
    }
    if (size > 1 && statfsSync(disk).bavail === 0) size = 1;
  }
  closeSync(ballast);
}
