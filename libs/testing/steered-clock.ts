import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const PLACES: readonly string[] = [
  resolve(import.meta.dirname, '../../.cache/tools/libfaketimeMT.so.1'),
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1',
];

/**
 * The wall clock of one child process, which can be set ahead and back while it runs. libfaketime answers in place of
 * the C library, so that all of the process sees it; its monotonic clock is left alone, as when an operator or NTP sets
 * a clock.
 */
export class SteeredClock implements Disposable {
  /** The environment that the process is started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly #folder: string;

  private constructor(library: string) {
    this.#folder = mkdtempSync(join(tmpdir(), 'crier-clock-'));
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    this.leadBy(0);
  }

  /** Null where libfaketime is not found: `make tools` fetches it on Debian. */
  static make(): SteeredClock | null {
    const library = PLACES.find((path) => existsSync(path));
    return library === undefined ? null : new SteeredClock(library);
  }

  /** From now on the process's clock is so far ahead of the machine's; negative: behind. */
  leadBy(seconds: number): void {
    writeFileSync(this.#file, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, 'lead');
  }
}
