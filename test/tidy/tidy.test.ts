import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { HOUSE_RULES } from './house-rules.ts';
import { readTree } from './tree.ts';

const tree = readTree(resolve(import.meta.dirname, '../..'));

test.each(HOUSE_RULES)('$name', ({ why, find }) => {
  const found = find(tree);
  if (found.length > 0) expect.fail(`${why}.\n${found.join('\n')}\n`);
});
