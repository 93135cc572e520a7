import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaTools } from '#ports/media-tools.ts';

const nobody = async (): Promise<never> => {
  throw new Error('no file is looked at here');
};

/** For worlds without files: whoever looks at one fails the test. */
export const NO_MEDIA = {
  url: ({ blob }: { readonly blob: string }): string => `https://media.test/${blob}`,
  tools: { probe: nobody, convert: nobody } satisfies MediaTools,
  cores: 1,
  scratchFolder: join(tmpdir(), 'crier-no-media'),
} as const;
