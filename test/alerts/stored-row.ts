import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CrierUnderTest } from '#testing/crier-process.ts';

const BUSY_MS = 10_000;

/**
 * A row of an embedded installation that is changed behind its back, while it runs. Its version grows each time, so
 * that whoever has the row in memory fails its next compare-and-set, and reads it.
 */
export class StoredRow {
  readonly #crier: CrierUnderTest;
  readonly #table: string;
  readonly #where: string;
  #former: Uint8Array | null = null;

  private constructor(crier: CrierUnderTest, table: string, where: string) {
    this.#crier = crier;
    this.#table = table;
    this.#where = where;
  }

  static canary(crier: CrierUnderTest): StoredRow {
    return new StoredRow(crier, 'installation', `name = 'canary'`);
  }

  static headOf(crier: CrierUnderTest, workspaceId: string): StoredRow {
    return new StoredRow(crier, 'workspaces', `workspace_id = '${workspaceId}' AND kind = 'head'`);
  }

  change(change: (body: string) => string): void {
    this.#open((database) => {
      const found = database.prepare(`SELECT body FROM "${this.#table}" WHERE ${this.#where}`).get();
      if (found === undefined) throw new Error(`${this.#table} has no row where ${this.#where}`);
      this.#former = found['body'] as Uint8Array;
      this.#write(database, Buffer.from(change(Buffer.from(this.#former).toString('utf8'))));
    });
  }

  restore(): void {
    const former = this.#former;
    if (former === null) throw new Error('the row was not changed');
    this.#open((database) => this.#write(database, former));
  }

  #write(database: DatabaseSync, body: Uint8Array): void {
    database.prepare(`UPDATE "${this.#table}" SET body = ?, version = version + 1 WHERE ${this.#where}`).run(body);
  }

  #open(work: (database: DatabaseSync) => void): void {
    const database = new DatabaseSync(join(this.#crier.dataDir, 'crier.db'));
    try {
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      database.exec('BEGIN IMMEDIATE');
      work(database);
      database.exec('COMMIT');
    } finally {
      database.close();
    }
  }
}
