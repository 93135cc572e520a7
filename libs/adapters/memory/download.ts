import type { Download } from '#ports/download.ts';

export interface MemoryFile {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

/** Serves these files, by address; every other address answers 404. */
export function createMemoryDownload(files: ReadonlyMap<string, MemoryFile>): Download {
  return {
    async get({ url }) {
      const file = files.get(url);
      const body = file?.bytes ?? new Uint8Array();
      return {
        status: file === undefined ? 404 : 200,
        contentType: file?.contentType ?? '',
        body: (async function* () {
          yield body;
        })(),
      };
    },
  };
}
