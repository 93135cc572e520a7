import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { LONG_FILES } from './long-first.ts';
import { stagesOf } from './plan.ts';

test('a test run leaves no project of vitest.config.ts out', () => {
  const projects = config.test?.projects as readonly { readonly test: { readonly name: string } }[];
  const stages = stagesOf({ soak: false }).map(({ name }) => name);
  expect(stages).toEqual(expect.arrayContaining(projects.map((project) => project.test.name)));
});

test('every file that a run begins with exists', () => {
  expect(LONG_FILES.filter((file) => !existsSync(file))).toEqual([]);
});
