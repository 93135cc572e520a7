import { Readable } from 'node:stream';
import { createMemoryScratchDisk } from '#adapters/memory/scratch-disk.ts';
import { Conversions } from '#concurrency/conversions.ts';
import { Pools } from '#concurrency/pools.ts';
import type { BlobStore } from '#ports/blob-store.ts';
import type { LocalFiles } from '#ports/local-files.ts';
import type { MediaOptions } from '#services/crier/compose/roles.ts';
import { createJudge } from '#services/ingress/uploads/judging.ts';
import { NO_MEDIA } from '#testing/no-media.ts';
import type { JudgeFile } from '#use-cases/dependencies.ts';
import { RequestTurns } from '#use-cases/request-turns.ts';
import { createUploadAddresses } from '#use-cases/upload-addresses.ts';
import type { ProcessClock } from '../process-clock.ts';
import { createSimulatedTools, type SimulatedToolsOptions } from './simulated-tools.ts';

/** What one process works on files with; its disk ends with it. */
export interface ProcessFiles {
  readonly media: MediaOptions;
  /** Of ingress. */
  readonly judge: JudgeFile;
  readonly turns: RequestTurns;
}

export const MEDIA_URL = 'https://media.test';
/** More than a file that hangs takes away. */
const CONVERSIONS_AT_ONCE = 4;
const FOLDER = '/under-way';

export const uploadAddresses = createUploadAddresses('a secret of simulated worlds only');

export function createProcessFiles(
  options: Omit<SimulatedToolsOptions, 'disk'> & { readonly clock: ProcessClock; readonly blobs: BlobStore },
): ProcessFiles {
  const { clock, blobs } = options;
  const disk = createMemoryScratchDisk();
  const tools = createSimulatedTools({ ...options, disk });
  const pools = new Pools({ clock });
  const copy: LocalFiles = {
    use: async (blob, work) => {
      const path = `${FOLDER}/copies/${blob}`;
      await disk.makeFolder(path.slice(0, path.lastIndexOf('/')));
      await disk.write(path, Readable.from(await blobs.get(blob)));
      return work(path).finally(() => disk.remove(path));
    },
  };
  return {
    media: {
      ...{ url: ({ blob }) => `${MEDIA_URL}/${blob}`, tools, pools, disk },
      conversions: new Conversions(CONVERSIONS_AT_ONCE, pools),
      scratchFolder: `${FOLDER}/media`,
      pictureFolder: `${FOLDER}/pictures`,
      pictureHttp: NO_MEDIA.pictureHttp,
    },
    judge: createJudge({ tools, blobs, files: copy }),
    turns: new RequestTurns({ pools, clock }),
  };
}
