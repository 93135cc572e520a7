import type { BugsOfRoom } from '../planted-bug.ts';
import { NOTHING_BUT_CUT_ANSWERS } from '../fault-plans.ts';

/** In what Crier makes of the answers of Networks, and of refreshes of their tokens. */
export const NETWORKS: BugsOfRoom = {
  room: 'libs/networks and libs/connections',
  bugs: [
    {
      name: 'The timeline of X never shows the text that is looked for',
      edits: [
        {
          file: 'libs/networks/x/timeline.ts',
          find: 'const isSame = says === wanted ||',
          replace: 'const isSame = says === text + wanted ||',
        },
      ],
      faults: NOTHING_BUT_CUT_ANSWERS,
    },
    {
      name: 'A refresh without an answer counts as refused',
      edits: [
        {
          file: 'libs/connections/token-refresh.ts',
          find: "if (answer.kind === 'refused' && !servesOn) {",
          replace: 'if (!servesOn) {',
        },
      ],
      faults: NOTHING_BUT_CUT_ANSWERS,
    },
  ],
};
