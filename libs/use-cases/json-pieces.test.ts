import { expect, test } from 'vitest';
import { parseInPieces } from './json-pieces.ts';

const FILL = 'é'.repeat(7_000);
const FILLED = `"${FILL}","${FILL}"`;
const parse = (text: string): Promise<unknown> => parseInPieces(Buffer.from(text), () => {});

test.each([
  `[${FILLED}]`,
  ` {"a":[${FILLED}] , "b" : {"c":[1,{"d":[${FILLED}]}], "__proto__":{"e":[${FILLED}]}},"f":"\\"]}\\\\"} `,
  `{"__proto__":1,"a":[${FILLED}],"a":[${FILLED},2]}`,
  `[[],{},[${FILLED}],-1.5e3,null,[[[${FILLED}]]],"\\u0041,[{"]`,
  `[${' '.repeat(20_000)}]`,
  `"${FILL}${FILL}"`,
])('a text has the value that JSON.parse gives it (%#)', async (text) => {
  const value = await parse(text);
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
});

test.each([
  `[${FILLED},]`,
  `[,${FILLED}]`,
  `[[${FILLED}],,1]`,
  `[[${FILLED}]1]`,
  `[1[${FILLED}]]`,
  `[[${FILLED}][${FILLED}]]`,
  `[${FILLED}}`,
  `[${FILLED}]]`,
  `[${FILLED}`,
  `[${FILLED}]1`,
  `1[${FILLED}]`,
  `{"a":1[${FILLED}]}`,
  `{"a"[${FILLED}]}`,
  `{[${FILLED}]}`,
  `{"a":"b"[${FILLED}]}`,
  `{"a":[${FILLED}],}`,
  `{"a":[${FILLED}] "b":1}`,
  `["${FILL}${FILL}]`,
  `["${FILL}${FILL}\\"]`,
  `[${FILLED},"\n"]`,
])('what JSON.parse refuses is refused (%#)', async (text) => {
  expect(() => JSON.parse(text)).toThrow();
  await expect(parse(text)).rejects.toThrow('The request body is not valid JSON.');
});

test('more members, or a greater depth, than any request has is refused', async () => {
  const members = Array.from({ length: 1_001 }, () => `"${'a'.repeat(20)}"`);
  await expect(parse(`[${members.join(',')}]`)).rejects.toThrow('more than 1,000 members');
  await expect(parse(`[${members.slice(1).join(',')}]`)).resolves.toHaveLength(1_000);
  await expect(parse(`${'['.repeat(65)}${FILLED}${']'.repeat(65)}`)).rejects.toThrow('64 deep');
});
