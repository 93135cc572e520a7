import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createMemoryReporter } from '#adapters/memory/reporter.ts';
import { createSecretBox } from '#adapters/node-crypto/secret-box.ts';
import { readConfig, type Config } from '#config/config.ts';
import { originalBlob } from '#domain/media/blob-names.ts';
import { ASSETS, CREDENTIAL_OWNERS } from '#tables/declarations/tables.ts';
import { probeSecret } from '#tables/repositories/secret-probe.ts';
import { replacing } from '#tables/rows/replace-row.ts';
import { encodeBody } from '#tables/rows/body.ts';
import type { Engine } from '../engines/engine.ts';
import { openEmbeddedEngine } from '../engines/embedded.ts';

/** A data folder with a few rows, and a folder for everything else of a test. */
export interface TestInstallation extends Disposable {
  readonly folder: string;
  readonly dataDir: string;
  config(settings?: Readonly<Record<string, string>>): Config;
  open(settings?: Readonly<Record<string, string>>): Promise<Engine>;
}

export const FILE = originalBlob('asset_1', 'one');
export const MISSING_FILE = originalBlob('asset_2', 'two');

/** With one file that is there, one whose asset is removed, and one that was lost. */
export async function makeInstallation(settings: Readonly<Record<string, string>> = {}): Promise<TestInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-backup-'));
  const dataDir = join(folder, 'data');
  const installation: TestInstallation = {
    folder,
    dataDir,
    config: (more = {}) => readConfig({ CRIER_DATA_DIR: dataDir, ...settings, ...more }),
    open: (more) => openEmbeddedEngine(installation.config(more), createMemoryReporter()),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  };
  const engine = await installation.open();
  await writeRow(engine, 'w_1', { text: 'of before' });
  const box = createSecretBox({ secret: engine.secrets.secret });
  await probeSecret(engine.store, box, () => engine.ids.token());
  await engine.blobs.put(FILE, Readable.from([Buffer.from('a picture')]), { maxBytes: 100 });
  const asset = (id: string, state: string, blob: string) => ({
    partition: [id],
    clustering: [],
    body: encodeBody({ id, state, blob }),
    format: 1,
    timestamp: 1,
  });
  await engine.store.upsert(ASSETS, [
    asset('asset_1', 'attached', FILE),
    asset('asset_2', 'ready', MISSING_FILE),
    asset('asset_3', 'removed', originalBlob('asset_3', 'three')),
  ]);
  await engine.close();
  writeFileSync(join(dataDir, 'demo.json'), '{"workspaceId":"w_1"}');
  writeFileSync(join(dataDir, 'sandbox.db'), 'the world');
  mkdirSync(join(dataDir, 'sandbox-files'), { recursive: true });
  return installation;
}

export async function writeRow(engine: Engine, id: string, value: unknown): Promise<void> {
  const write = replacing([id], [], { over: null, value, token: engine.ids.token() });
  await engine.store.compareAndSet(CREDENTIAL_OWNERS, write);
}
