import { expect, test } from 'vitest';
import { rulesFile } from '../../helm/rules/rules-file.ts';
import { shortenedRules } from './shortened-rules.ts';

const FACTOR = 10;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
/** `for: 2m`, `[5m]`, and the seconds of a window behind a rate: `* 3600`. */
const TIMES = /(?<=for: )(\d+)([smhd])\b|(?<=\[)(\d+)([smhd])(?=\])|(?<=\* )(\d+)(?= >= |$)/gm;

const timesOf = (rules: string): readonly number[] =>
  [...rules.matchAll(TIMES)].map(
    ([, wait, waitUnit, range, rangeUnit, seconds]) =>
      Number(wait ?? range ?? seconds) * (UNITS[waitUnit ?? rangeUnit ?? 's'] ?? Number.NaN),
  );
const withoutTimes = (rules: string): string => rules.replace(/^#.*\n/, '').replace(TIMES, 'TIME');

test('rules are shortened by the factor in every time of Prometheus, and differ in nothing else', () => {
  const [real, short] = [rulesFile(), shortenedRules(rulesFile(), FACTOR)];
  expect(timesOf(real).length).toBeGreaterThan(120);
  expect(timesOf(short)).toEqual(timesOf(real).map((seconds) => seconds / FACTOR));
  expect(withoutTimes(short)).toBe(withoutTimes(real));
});

test('ages that Crier measures stay as they are', () => {
  const short = shortenedRules(rulesFile(), FACTOR);
  for (const age of [
    'oldest_overdue_seconds) > 120',
    '(240 + max by (namespace) (crier_canary_every_seconds))',
    'le=~"60(\\\\.0)?"',
    '> 72000',
  ])
    expect(short).toContain(age);
});
