import { parse, stringify } from 'yaml';

interface Rule {
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
}

interface RulesFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[];
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const DURATION = /^(\d+)([smhd])$/;
const RANGE = /\[(\d+[smhd])\]/g;
/** A rate times the seconds of its window, which makes it the number of events in it. */
const PER_WINDOW = /\* (\d{3,})\b/g;

/**
 * The rules with every time of Prometheus divided by `factor`: how long an alert has to be true (`for`), the ranges
 * that queries look back over, and the seconds by which a rate is multiplied. Ages that Crier itself measures stay as
 * they are, since Crier is not made faster: 120 s of a timer, four minutes of the canary, the minute of a late start.
 */
export function shortenedRules(rules: string, factor: number): string {
  const { groups } = parse(rules) as RulesFile;
  return stringify(
    { groups: groups.map((group) => ({ ...group, rules: group.rules.map((rule) => shortened(rule, factor)) })) },
    { lineWidth: 0 },
  );
}

function shortened(rule: Rule, factor: number): Rule {
  const expr = rule.expr
    .replace(RANGE, (_, range: string) => `[${secondsOf(range) / factor}s]`)
    .replace(PER_WINDOW, (_, seconds: string) => `* ${Number(seconds) / factor}`);
  return { ...rule, expr, ...(rule.for !== undefined && { for: `${secondsOf(rule.for) / factor}s` }) };
}

function secondsOf(duration: string): number {
  const [, count, unit] = DURATION.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`${duration} is no duration of one unit`);
  return Number(count) * SECONDS[unit]!;
}
