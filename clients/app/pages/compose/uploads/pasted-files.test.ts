import { expect, test } from 'vitest';
import { pastedFiles } from './pasted-files.ts';

const picture = new File(['x'], 'image.png', { type: 'image/png' });
const paste = (...types: string[]) => pastedFiles({ files: [picture] as unknown as FileList, types });

test('words that are copied from an office program are no picture', () => {
  expect(paste('text/plain', 'text/html', 'text/rtf', 'Files')).toEqual([]);
});

test('a file, and a picture of a page, are taken', () => {
  for (const types of [['Files'], ['text/plain', 'Files'], ['text/html', 'Files']])
    expect(paste(...types)).toEqual([picture]);
});
