import { join } from 'node:path';
import { createLocalFiles } from '#adapters/filesystem/local-files.ts';
import { createMediaTools } from '#adapters/media/media-tools.ts';
import type { Chore } from '#adapters/node-cron/housekeeping.ts';
import type { LocalFiles } from '#ports/local-files.ts';
import type { MediaTools } from '#ports/media-tools.ts';
import type { Reporter } from '#ports/reporter.ts';
import type { Config } from '#runtime/config.ts';
import { createMediaAddresses, type MediaAddresses } from '#runtime/media-addresses.ts';
import { removeOrphans, type OrphanParts } from '#runtime/orphans.ts';
import type { JudgeFile } from '#services/ingress/needs.ts';
import { createJudge } from '#services/ingress/uploads/judging.ts';
import type { UploadRows } from '#tables/uploads.ts';
import type { Engine } from './engine.ts';

/** What one process has for files, whichever of its roles need it. */
export interface Media {
  readonly tools: MediaTools & { close(): Promise<void> };
  readonly localFiles: LocalFiles;
  readonly addresses: MediaAddresses;
  /** What ingress has of it. */
  readonly frontDoor: { readonly judge: JudgeFile; readonly mediaAddresses: MediaAddresses };
  readonly orphans: OrphanParts;
  /** For the role that looks after files. */
  readonly chores: readonly Chore[];
}

export interface MediaParts {
  readonly config: Config;
  readonly engine: Engine;
  readonly reporter: Reporter;
  readonly uploads: UploadRows;
  readonly publicUrl: () => string;
}

export function mediaOf({ config, engine, reporter, uploads, publicUrl }: MediaParts): Media {
  const { blobs, store, secrets } = engine;
  const tools = createMediaTools();
  // Processes may share a data folder, but no port.
  const localFiles = createLocalFiles({ blobs, folder: join(config.dataDir, 'copies', String(config.adminPort)) });
  const addresses = createMediaAddresses({ baseUrl: () => config.mediaUrl ?? publicUrl(), secret: secrets.secret, previousSecrets: config.previousSecrets });
  const orphans: OrphanParts = { blobs, store, uploads, reporter };
  return {
    tools,
    localFiles,
    addresses,
    frontDoor: { judge: createJudge({ tools, files: localFiles }), mediaAddresses: addresses },
    orphans,
    // At an hour of little work: it walks through all there is.
    chores: [{ name: 'orphans', at: '41 3 * * *', run: async () => void (await removeOrphans(orphans)) }],
  };
}
