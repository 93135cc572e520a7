import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { multipart } from './multipart.ts';

const bytes = new Uint8Array(70_000).map((_, index) => (index * 31) % 256);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const part = { field: 'media', fileName: 'media', contentType: 'video/mp4', bytes, boundary: `part-${sha256}` };

test('a reader of forms gets the fields and the file back, byte for byte', async () => {
  const { contentType, body } = multipart({ segment_index: '7', summary: 'Grüße "見て"' }, part);
  const read = await new Response(Buffer.from(body), { headers: { 'content-type': contentType } }).formData();
  expect([...read.keys()]).toEqual(['segment_index', 'summary', 'media']);
  expect(read.get('segment_index')).toBe('7');
  expect(read.get('summary')).toBe('Grüße "見て"');
  const file = read.get('media') as File;
  expect({ name: file.name, type: file.type, bytes: new Uint8Array(await file.arrayBuffer()) }).toEqual({
    name: 'media',
    type: 'video/mp4',
    bytes,
  });
});

test('the same parts make the same body', () => {
  expect(multipart({ a: 'b' }, part)).toEqual(multipart({ a: 'b' }, part));
});

test.each<[string, Record<string, string>, Partial<typeof part>]>([
  ['occurs in the file', {}, { bytes: Buffer.from(`x\r\n--${part.boundary}--`) }],
  ['occurs in a field', { summary: part.boundary }, {}],
  ['is no token', {}, { boundary: 'a b' }],
  ['is longer than a boundary may be', {}, { boundary: 'a'.repeat(71) }],
])('a boundary that %s is a programming error', (_name, fields, more) => {
  expect(() => multipart(fields, { ...part, ...more })).toThrow('boundary');
});
