import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { BulkPost, Crier } from '#clients/typescript/client.ts';
import type { CsvPost } from '#clients/csv/read-row.ts';
import type { Terminal } from '../terminal.ts';
import { removeUploads, uploadFile } from '../uploads.ts';
import { refusedRow, type RowOutcome } from './row-outcome.ts';

/** Paths in a file of Posts are relative to its folder. Refuses rows whose files are not there. */
export async function refuseMissingFiles(rows: readonly RowOutcome[], csvPath: string): Promise<readonly RowOutcome[]> {
  return Promise.all(
    rows.map(async (row) => {
      const missing: string[] = [];
      for (const path of pathsOf(row)) if (!(await isFile(resolve(dirname(csvPath), path)))) missing.push(path);
      return missing.length === 0
        ? row
        : refusedRow(
            row,
            missing.map((path) => `There is no file ${path}`),
          );
    }),
  );
}

/** The uploads of an import, so that those of rows that are not created can be removed. */
export class ImportUploads {
  readonly #crier: Crier;
  readonly #csvPath: string;
  readonly #terminal: Terminal;
  readonly #byRow = new Map<number, string[]>();

  constructor(crier: Crier, csvPath: string, terminal: Terminal) {
    this.#crier = crier;
    this.#csvPath = csvPath;
    this.#terminal = terminal;
  }

  /** The bodies of the rows, with their files uploaded. */
  async bodiesOf(rows: readonly RowOutcome[]): Promise<readonly BulkPost[]> {
    const bodies: BulkPost[] = [];
    for (const row of rows) bodies.push(await this.#bodyOf(row.row, row.post!));
    return bodies;
  }

  async removeOf(rows: readonly number[]): Promise<void> {
    const assetIds = rows.flatMap((row) => this.#byRow.get(row) ?? []);
    await removeUploads(
      this.#crier,
      assetIds.map((assetId) => ({ assetId })),
    );
  }

  removeAll(): Promise<void> {
    return this.removeOf([...this.#byRow.keys()]);
  }

  async #bodyOf(row: number, { media, ...post }: CsvPost): Promise<BulkPost> {
    const files: NonNullable<BulkPost['media']>[number][] = [];
    for (const { altText, ...source } of media) {
      const text = altText === undefined ? {} : { altText };
      files.push({ ...('url' in source ? source : { assetId: await this.#upload(row, source.path) }), ...text });
    }
    return { ...post, media: files };
  }

  async #upload(row: number, path: string): Promise<string> {
    const { assetId } = await uploadFile(this.#crier, resolve(dirname(this.#csvPath), path), this.#terminal);
    this.#byRow.set(row, [...(this.#byRow.get(row) ?? []), assetId]);
    return assetId;
  }
}

function pathsOf({ post }: RowOutcome): readonly string[] {
  return (post?.media ?? []).flatMap((file) => ('path' in file ? [file.path] : []));
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
