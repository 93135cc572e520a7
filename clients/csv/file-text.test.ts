import { expect, test } from 'vitest';
import { readFileText } from './file-text.ts';

const TEXT = 'text,channels\r\nCafé ☕,x\r\n';

test.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8 with a mark', Buffer.from(`\uFEFF${TEXT}`)],
  ['UTF-16 of Excel', Buffer.from(`\uFEFF${TEXT}`, 'utf16le')],
])('a file in %s is read', (_what, bytes) => {
  expect(readFileText(bytes)).toEqual({ ok: true, text: TEXT });
});

test('a file in another encoding is refused, and not read with other signs in place of its accents', async () => {
  const bytes = Buffer.from('text,channels\r\nCafé,x\r\n', 'latin1');
  expect(await new Blob([bytes]).text()).toContain('Caf\uFFFD');
  expect(readFileText(bytes)).toEqual({
    ok: false,
    message: 'The file is not in UTF-8. Save it again as "CSV UTF-8"',
  });
});
