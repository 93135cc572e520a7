import { stat } from 'node:fs/promises';
import { pathsOf, readEngineFiles, type EngineFiles, type PemTexts, type TlsPlace } from '#config/pem-files.ts';
import type { Cancel, Clock } from '#ports/clock.ts';
import type { Reporter } from '#reporting/reporter.ts';

export interface PemWatchOptions {
  readonly clock: Pick<Clock, 'after'>;
  readonly reporter: Reporter;
  readonly everyMs?: number;
}

/** What an engine's files hold. */
export interface WatchedPem {
  /** Always as of late. */
  readonly texts: () => PemTexts;
  /** Sets who learns of new texts before others read them; where it throws, the former ones stay. */
  readonly onRenewed: (listener: (texts: PemTexts) => void) => void;
}

interface Watched {
  readonly engine: TlsPlace;
  readonly config: EngineFiles;
  readonly paths: readonly string[];
  texts: PemTexts;
  onRenewed: (texts: PemTexts) => void;
  /** What the files looked like when they were read, and at the last look. Null: not looked at yet. */
  readAt: string | null;
  seen: string | null;
}

const EVERY_MS = 2_000;

/**
 * The one place that watches the files of certificates, by their times: what replaces them (a person, cert-manager by
 * the links of a volume) tells nobody, and notices of the file system do not come through such links everywhere.
 *
 * Modes: idle (nothing to watch) -> looking (every two seconds, one `stat` a file) -> stopped. Files that have changed
 * are read once they look the same twice, because a certificate and its key are not replaced in one moment. Files that
 * can not be used are reported once, and what was read before stays.
 */
export class PemWatch {
  readonly #options: PemWatchOptions;
  readonly #watched: Watched[] = [];
  #cancel: Cancel | null = null;
  #stopped = false;

  constructor(options: PemWatchOptions) {
    this.#options = options;
  }

  /** Throws ConfigError when the files can not be used at first. */
  watch(engine: TlsPlace, config: EngineFiles): WatchedPem {
    const paths = pathsOf(engine, config);
    const texts = readEngineFiles(engine, config);
    const watched: Watched = { engine, config, paths, texts, onRenewed: () => {}, readAt: null, seen: null };
    if (paths.length > 0) {
      this.#watched.push(watched);
      this.#cancel ??= this.#later();
    }
    return {
      texts: () => watched.texts,
      onRenewed: (listener) => {
        watched.onRenewed = listener;
      },
    };
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  #later(): Cancel {
    return this.#options.clock.after(this.#options.everyMs ?? EVERY_MS, () => void this.#look());
  }

  async #look(): Promise<void> {
    for (const watched of this.#watched) await this.#lookAt(watched);
    if (!this.#stopped) this.#cancel = this.#later();
  }

  async #lookAt(watched: Watched): Promise<void> {
    const now = (await Promise.all(watched.paths.map(looksOf))).join();
    const isSettled = now === watched.seen;
    watched.seen = now;
    if (!isSettled || now === watched.readAt) return;
    watched.readAt = now;
    const { reporter } = this.#options;
    try {
      const texts = readEngineFiles(watched.engine, watched.config);
      // The first look comes after the first reading, and finds the same nearly always.
      if (JSON.stringify(texts) === JSON.stringify(watched.texts)) return;
      watched.onRenewed(texts);
      watched.texts = texts;
      reporter.report('certificates-renewed', { engine: watched.engine });
    } catch (error) {
      reporter.report('certificates-refused', { engine: watched.engine, detail: (error as Error).message });
    }
  }
}

/** Follows links. A file that is not there looks like nothing. */
async function looksOf(path: string): Promise<string> {
  return stat(path).then(
    ({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`,
    () => 'none',
  );
}
