import { DatabaseSync } from 'node:sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Arm, Evidence } from '#tables/repositories/ledger.ts';
import { PUBLISH_ARMS, PUBLISH_EVIDENCE } from '#tables/declarations/tables.ts';
import { decodeBody } from '#tables/rows/body.ts';
import { OUTCOMES_GATHER_MS } from '#services/workspace/service.ts';
import { openDueVariants, UNTIL_DUE_MS, type DueVariants } from './due-variants.fixture.ts';

const VARIANTS = 25;
const FIRST = 'the first of all';
let folder: string;
let onDisk: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-'));
});

afterEach(() => {
  onDisk.close();
  rmSync(folder, { recursive: true });
});

/** Tokens of arms, and of those whose calls have their answers, as a process after a crash has them. */
function ledgerOnDisk(): { readonly armed: readonly string[]; readonly answered: ReadonlySet<string> } {
  const rows = (table: string) => onDisk.prepare(`SELECT body, format FROM "${table}"`).all() as never[];
  const arms = rows(PUBLISH_ARMS.name).map((row) => decodeBody<Arm>(row)!);
  const evidence = rows(PUBLISH_EVIDENCE.name).map((row) => decodeBody<Evidence>(row)!);
  const answers = evidence.filter(({ step }) => step === 'publish');
  return {
    armed: arms.filter(({ stage }) => stage === 'armed').map(({ armToken }) => armToken),
    answered: new Set(answers.map(({ armToken }) => armToken)),
  };
}

const unknown = (): number => {
  const { armed, answered } = ledgerOnDisk();
  return armed.filter((token) => !answered.has(token)).length;
};

test('of Variants of one Channel that are due at once, one at a time is sent, in order, and a crash leaves one unknown', async () => {
  const path = join(folder, 'crier.db');
  const said: string[] = [];
  const faults: string[] = [];
  let ended = 0;
  const called = (text: string): void => {
    if (text === FIRST) return;
    said.push(`called ${text}`);
    const { armed, answered } = ledgerOnDisk();
    // Itself, and those before it with their answers.
    if (armed.length !== Number(text) + 2 || answered.size !== Number(text) + 1)
      faults.push(`called ${text} with ${armed.length} armed and ${answered.size} answered`);
  };
  const installation: DueVariants = await openDueVariants({
    path,
    onCalled: called,
    onAnswered: (text) => text !== FIRST && said.push(`answered ${text}`),
    onEvent: () => void ended++,
  });
  onDisk = new DatabaseSync(path, { readOnly: true });
  try {
    // Tables are made when they are first used.
    await installation.post(FIRST, 'at once');
    await expect.poll(() => ended, { timeout: 30_000 }).toBe(1);
    for (let number = 0; number < VARIANTS; number++) await installation.post(`${number}`, 'later');
    let isDue = false;
    const due = installation.clock.advance(UNTIL_DUE_MS).then(() => (isDue = true));
    let most = 0;
    await expect
      .poll(
        async () => {
          for (let turn = 0; turn < 200 && ended <= VARIANTS; turn++) {
            await new Promise<void>((resolve) => setImmediate(resolve));
            most = Math.max(most, unknown());
          }
          // The outcomes behind the first one are gathered, by this clock.
          if (isDue) await installation.clock.advance(OUTCOMES_GATHER_MS);
          return ended;
        },
        { timeout: 30_000, interval: 1 },
      )
      .toBe(VARIANTS + 1);
    await due;
    expect(faults).toEqual([]);
    expect(most).toBe(1);
    expect(said).toEqual(
      Array.from({ length: VARIANTS }, (_, number) => [`called ${number}`, `answered ${number}`]).flat(),
    );
  } finally {
    await installation.close();
  }
});
