import { uploadFiles } from '../uploads.ts';
import type { Verb } from '../verb.ts';
import { tableOf } from '../table.ts';

export const MEDIA_UPLOAD: Verb = {
  name: 'media upload',
  summary: 'Upload pictures and videos, to be named by their ids in a Post',
  takes: 'FILE...',
  minWords: 1,
  maxWords: Number.POSITIVE_INFINITY,
  flags: [],
  notes: [
    'Takes .jpg, .png, .webp, .mp4 and .mov of up to 2 GB. A lost connection begins the file again. Ctrl-C removes what was uploaded. crier post --media uploads by itself.',
  ],
  examples: ['crier media upload photo.jpg', 'crier media upload photo.jpg other.jpg --json'],
  isLong: true,
  completesWords: 'files',
  run: async ({ crier, terminal, json, words }) => {
    const uploads = await uploadFiles(crier(), words, terminal);
    const rows = uploads.map((upload, index) => ({ file: words[index]!, ...upload }));
    const columns = [
      { head: 'FILE', cell: ({ file }: (typeof rows)[number]) => file, flexible: true },
      { head: 'TYPE', cell: ({ contentType }: (typeof rows)[number]) => contentType },
      { head: 'BYTES', cell: ({ bytes }: (typeof rows)[number]) => String(bytes) },
      { head: 'ASSET', cell: ({ assetId }: (typeof rows)[number]) => assetId },
    ];
    terminal.out(json ? `${JSON.stringify(rows)}\n` : `${tableOf(rows, columns, terminal.columns)}\n`);
    return 0;
  },
};
