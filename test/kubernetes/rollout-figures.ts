import { expect } from 'vitest';
import type { ItemJson } from '#testing/crier-clients.ts';
import type { RolloutLoad } from '../guarantees/rollout-load.ts';

/** Later than this, a Variant counts as late: the objective that alerts watch. */
const LATE_MS = 60_000;

/** What became of the Posts of a load at two Networks. */
export interface RolloutFigures {
  readonly posts: number;
  readonly requests: number;
  readonly refused: number;
  readonly lost: number;
  readonly doubled: number;
  readonly early: number;
  readonly late: number;
  readonly latestMs: number;
}

/** `items`: what is live at the Networks. */
export function rolloutFigures(load: RolloutLoad, items: readonly ItemJson[]): RolloutFigures {
  const live = items.filter(({ text }) => load.dueAt.has(text));
  const names = live.map(({ network, text }) => `${network} ${text}`);
  const wanted = [...load.dueAt.keys()].flatMap((text) => [`threads ${text}`, `x ${text}`]);
  const lateMs = live.map(({ text, publishedAt }) => Date.parse(publishedAt) - load.dueAt.get(text)!);
  return {
    posts: load.dueAt.size,
    requests: load.answers,
    refused: load.unexpected.length,
    lost: wanted.filter((name) => !names.includes(name)).length,
    doubled: names.length - new Set(names).size,
    early: lateMs.filter((ms) => ms < 0).length,
    late: lateMs.filter((ms) => ms > LATE_MS).length,
    latestMs: Math.max(...lateMs),
  };
}

export function inWords(figures: RolloutFigures): string {
  const { posts, requests, refused, lost, doubled, late, latestMs } = figures;
  return (
    `${posts} Posts at two Networks, ${requests} requests, ${refused} refused, ${lost} lost, ${doubled} doubled, ` +
    `${late} over 60 s late, the last ${(latestMs / 1_000).toFixed(1)} s`
  );
}

/** Refusals are the caller’s matter: one process alone has some while it is replaced. */
export function expectEachOnce(figures: RolloutFigures): void {
  expect(figures).toMatchObject({ lost: 0, doubled: 0, early: 0 });
}
