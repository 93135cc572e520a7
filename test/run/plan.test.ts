import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';
import { LONG_FILES } from './long-first.ts';
import { ONLY_IN_CI } from './only-in-ci.ts';
import { planOf, stagesOf } from './plan.ts';

/** Projects that take too long for the others. */
const LEFT_OUT = { soak: [], ci: ['alerts'], test: ['guarantees', 'alerts'] } as const;
/** What needs a network and mounts of its own, which `make kubernetes` makes. */
const BY_ITS_OWN_VERB = ['kubernetes'];

test.each(['soak', 'ci', 'test'] as const)('%s leaves out only projects that take too long for it', (extent) => {
  const projects = config.test?.projects as readonly { readonly test: { readonly name: string } }[];
  const names = projects.map((project) => project.test.name).filter((name) => !BY_ITS_OWN_VERB.includes(name));
  const stages = stagesOf(planOf(extent)).map(({ name }) => name);
  expect(names.filter((name) => !stages.includes(name))).toEqual(LEFT_OUT[extent]);
});

test('every file that only the continuous integration runs exists', () => {
  expect(ONLY_IN_CI.filter((file) => !existsSync(file))).toEqual([]);
});

test('every file that a run begins with exists', () => {
  expect(LONG_FILES.filter((file) => !existsSync(file))).toEqual([]);
});
