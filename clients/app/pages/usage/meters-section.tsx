import type { UsageBody } from '#domain/plan/usage.ts';
import { Icon } from '../../parts/icon.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';
import { bytesWords, numberWords } from './amounts.ts';
import { PLAN_NAMES } from './shown-plan.ts';
import './usage.css';

const NEAR = 0.8;

interface Meter {
  readonly label: string;
  readonly used: number;
  /** Null: no limit. */
  readonly limit: number | null;
  readonly words: (amount: number) => string;
  /** What happens at the limit. */
  readonly atLimit: string;
}

export function MetersSection({ usage }: { readonly usage: UsageBody }) {
  const { plan, period, limits, used } = usage;
  const meters: readonly Meter[] = [
    {
      label: 'Posts this month',
      used: used.postsPerMonth,
      limit: limits.postsPerMonth,
      words: numberWords,
      atLimit: 'No more Posts can be made until the month begins again, or with a larger Plan.',
    },
    {
      label: 'Channels',
      used: used.channels,
      limit: limits.channels,
      words: numberWords,
      atLimit: 'To connect another one, disconnect one or take a larger Plan.',
    },
    {
      label: 'Files',
      used: used.storageBytes,
      limit: limits.storageBytes,
      words: bytesWords,
      atLimit: 'To upload more, remove files or take a larger Plan.',
    },
    {
      label: 'Members',
      used: used.members,
      limit: limits.members,
      words: numberWords,
      atLimit: 'To invite somebody, remove a Member or take a larger Plan.',
    },
  ];
  return (
    <Section title={`Used of the Plan ${PLAN_NAMES[plan]}`}>
      <p className="soft">
        Posts are counted by calendar month (UTC); the count begins again <Time at={period.to} />. Cancelled Posts stay
        counted.
      </p>
      <ul className="meters">
        {meters.map((meter) => (
          <li key={meter.label}>
            <MeterRow {...meter} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function MeterRow({ label, used, limit, words, atLimit }: Meter) {
  if (limit === null)
    return (
      <p>
        {label}: {words(used)}, without a limit
      </p>
    );
  const isFull = used >= limit;
  const isNear = used >= limit * NEAR;
  return (
    <>
      <Progress label={label} value={Math.min(used, limit)} of={limit} words={`${words(used)} of ${words(limit)}`} />
      {isNear ? (
        <p className="meter-warning">
          <Icon name="alert" /> {isFull ? 'The limit is reached.' : 'Near the limit.'} {atLimit}
        </p>
      ) : null}
    </>
  );
}
