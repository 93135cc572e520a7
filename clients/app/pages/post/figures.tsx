import { useId, useState } from 'react';
import type { DayFigures, Figures as AllFigures, VariantMetrics } from '#domain/variant/metrics.ts';
import { Select } from '../../parts/select.tsx';
import { Table } from '../../parts/table.tsx';

export interface FiguresProps {
  readonly metrics: VariantMetrics;
  readonly network: string;
}

type FigureName = keyof AllFigures;

const FIGURES: readonly { readonly name: FigureName; readonly label: string; readonly unit?: string }[] = [
  { name: 'views', label: 'Views' },
  { name: 'likes', label: 'Likes' },
  { name: 'comments', label: 'Comments' },
  { name: 'shares', label: 'Shares' },
  { name: 'minutesWatched', label: 'Minutes watched' },
  { name: 'averageViewDuration', label: 'Average view', unit: ' s' },
  { name: 'averageViewPercentage', label: 'Watched of its length', unit: ' %' },
  { name: 'subscribersGained', label: 'Subscribers gained' },
];

/** How the Variant does with its public: totals, one figure by day as a plot, and all of them as a table. */
export function Figures({ metrics, network }: FiguresProps) {
  const [shown, setShown] = useState<FigureName>('views');
  const { label } = FIGURES.find(({ name }) => name === shown)!;
  return (
    <div className="figures">
      <h3>Figures of {network}</h3>
      <dl className="figure-totals">
        {FIGURES.map(({ name, label: itsLabel, unit = '' }) => (
          <div key={name}>
            <dt>{itsLabel}</dt>
            <dd>
              {numberWords(metrics[name])}
              {unit}
            </dd>
          </div>
        ))}
      </dl>
      {metrics.days.length === 0 ? (
        <p className="post-soft">{network} has no figures by day yet.</p>
      ) : (
        <>
          <Select
            label="Plotted by day"
            choices={FIGURES.map(({ name, label: itsLabel }) => ({ value: name, name: itsLabel }))}
            value={shown}
            onChange={setShown}
          />
          <Plot days={metrics.days} name={shown} label={label} />
          <details>
            <summary>All figures by day, as a table</summary>
            <div className="figure-table">
              <Table<DayFigures>
                caption={`Figures of ${network} by day`}
                rows={metrics.days}
                keyOf={({ day }) => day}
                columns={[
                  { name: 'Day', render: ({ day }) => day, isHeader: true },
                  ...FIGURES.map(({ name, label: itsLabel, unit = '' }) => ({
                    name: itsLabel,
                    render: (day: DayFigures) => `${numberWords(day[name])}${unit}`,
                    isNumber: true,
                  })),
                ]}
              />
            </div>
          </details>
        </>
      )}
    </div>
  );
}

const WIDTH = 320;
const HEIGHT = 80;
const GAP = 2;

interface PlotProps {
  readonly days: readonly DayFigures[];
  readonly name: FigureName;
  readonly label: string;
}

/** Bars by day. Readers get the range here and each day from the table. */
function Plot({ days, name, label }: PlotProps) {
  const titleId = useId();
  const most = Math.max(1, ...days.map((day) => day[name]));
  const width = WIDTH / days.length;
  const top = days.find((day) => day[name] === most);
  const highest = top === undefined ? '' : `, most on ${top.day}: ${numberWords(most)}`;
  const words = `${label} from ${days[0]!.day} to ${days.at(-1)!.day}${highest}`;
  return (
    <figure className="plot">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={titleId} preserveAspectRatio="none">
        <title id={titleId}>{words}</title>
        {days.map((day, index) => {
          const height = Math.max(0, (day[name] / most) * (HEIGHT - GAP));
          return (
            <rect
              key={day.day}
              x={index * width}
              y={HEIGHT - height}
              width={Math.max(1, width - GAP)}
              height={height}
            />
          );
        })}
      </svg>
      <figcaption className="post-soft">{words}</figcaption>
    </figure>
  );
}

function numberWords(value: number): string {
  return new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 }).format(value);
}
