import { execFile } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** More than CrierDiskFull asks for, beside what an installation needs. */
const SIZE = '400m';

/** A tmpfs that can be filled to its last page. It takes the right to mount. */
export class SmallDisk {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async mount(): Promise<SmallDisk> {
    const path = mkdtempSync(join(tmpdir(), 'crier-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', path]);
    return new SmallDisk(path);
  }

  fill(): void {
    const ballast = openSync(join(this.path, 'ballast'), 'w');
    for (let size = 1 << 20; size >= 1_024;) {
      try {
        if (writeSync(ballast, Buffer.alloc(size)) < size) size >>= 1;
      } catch {
        size >>= 1;
      }
    }
    closeSync(ballast);
  }

  free(): void {
    rmSync(join(this.path, 'ballast'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run('umount', [this.path]);
    rmSync(this.path, { recursive: true });
  }
}
