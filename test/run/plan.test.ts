import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { LONG_FILES } from './long-first.ts';
import { planOf, stagesOf } from './plan.ts';

/** What takes too long for `make test`. */
const ONLY_IN_SOAK = ['alerts'];
/** What needs a network and mounts of its own, which `make kubernetes` makes. */
const BY_ITS_OWN_VERB = ['kubernetes'];

test('a soak leaves no project of vitest.config.ts out, and a test run only those that take too long', () => {
  const projects = config.test?.projects as readonly { readonly test: { readonly name: string } }[];
  const names = projects.map((project) => project.test.name).filter((name) => !BY_ITS_OWN_VERB.includes(name));
  const missingIn = (soak: boolean) => {
    const stages = stagesOf(planOf({ soak })).map(({ name }) => name);
    return names.filter((name) => !stages.includes(name));
  };
  expect(missingIn(true)).toEqual([]);
  expect(missingIn(false)).toEqual(ONLY_IN_SOAK);
});

test('every file that a run begins with exists', () => {
  expect(LONG_FILES.filter((file) => !existsSync(file))).toEqual([]);
});
