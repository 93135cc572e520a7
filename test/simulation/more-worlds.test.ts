import { testWorlds } from './worlds.fixture.ts';

// The first half is in simulation.test.ts.
testWorlds({ first: 1_150, seeds: 150 });
