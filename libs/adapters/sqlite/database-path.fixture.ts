import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';

export interface DatabasePath {
  folder: string;
  /** Of a database in it that is not there yet. */
  path: string;
}

/** A new empty folder for each test of the file, which is removed after it. */
export function databasePath(): Readonly<DatabasePath> {
  const place: DatabasePath = { folder: '', path: '' };
  beforeEach(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'crier-'));
    place.path = join(place.folder, 'test.sqlite');
  });
  afterEach(() => rmSync(place.folder, { recursive: true }));
  return place;
}
