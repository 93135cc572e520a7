import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryScratchDisk } from '#adapters/memory/scratch-disk.ts';
import { Conversions } from '#concurrency/conversions.ts';
import { Pools } from '#concurrency/pools.ts';
import type { MediaTools } from '#ports/media-tools.ts';

const unexpected = async (): Promise<never> => {
  throw new Error('this test has no files');
};

const pools = new Pools({ clock: { monotonic: () => 0 } });

/** Media tools for tests without files: every call fails the test. */
export const NO_MEDIA = {
  url: ({ blob }: { readonly blob: string }): string => `https://media.test/${blob}`,
  tools: { probe: unexpected, convert: unexpected } satisfies MediaTools,
  conversions: new Conversions(1, pools),
  pools,
  disk: createMemoryScratchDisk(),
  scratchFolder: join(tmpdir(), 'crier-no-media'),
  pictureFolder: join(tmpdir(), 'crier-no-pictures'),
  pictureHttp: { send: async () => ({ status: 404, headers: {}, body: none() }) },
} as const;

async function* none(): AsyncGenerator<Uint8Array> {}
