import { memo } from 'react';
import { canMove } from '../cards/placed-card.ts';
import { PostCard, type CardLook } from '../cards/post-card.tsx';
import type { GridCell } from './grid-model.ts';
import { isOver } from './cell-times.ts';
import { useRecycledKeys } from './recycled-keys.ts';

export interface GridCellViewProps {
  readonly cell: GridCell;
  /** From 1, the column of row names included. */
  readonly column: number;
  readonly capacity: number;
  readonly look: CardLook;
  readonly workspaceId: string;
  readonly canEdit: boolean;
  /** To 15 s; Unix ms. */
  readonly now: number;
  /** What of it is in the order of Tab: the id of one of its controls, `cell` for itself, null for none. */
  readonly tabStop: string | null;
}

/** The name of the control that lists what a cell has no room for. */
const MORE = 'more';
const CELL = 'cell';

/** A cell of the calendar. It is drawn again only when something of it has changed. */
export const GridCellView = memo(function GridCellView(props: GridCellViewProps) {
  const { cell, column, capacity, look, workspaceId, canEdit, now, tabStop } = props;
  const { key, label, cards, note, time } = cell;
  const hidden = Math.max(0, cards.length - capacity);
  const shown = cards.slice(0, capacity);
  const keys = useRecycledKeys(shown.map(({ card }) => card.id));
  return (
    <div
      role="gridcell"
      aria-colindex={column}
      className={classOf(cell, now)}
      data-cell={key}
      tabIndex={tabStop === CELL ? 0 : -1}
    >
      <span className="visually-hidden">
        {label}, {countWords(cards.length)}
      </span>
      {note === null ? null : (
        <span className="cell-note" aria-hidden="true">
          {note}
        </span>
      )}
      {time !== null && cell.hour !== null ? <NowLine time={time} now={now} /> : null}
      {shown.map((placed) => (
        <PostCard
          key={keys.get(placed.card.id)}
          placed={placed}
          look={look}
          workspaceId={workspaceId}
          isMovable={canEdit && canMove(placed, now)}
          tabStop={tabStop === placed.card.id ? 'link' : tabStop === `menu ${placed.card.id}` ? 'menu' : null}
        />
      ))}
      {hidden === 0 ? null : (
        <button
          type="button"
          className="cell-more"
          tabIndex={tabStop === MORE ? 0 : -1}
          data-item={MORE}
          data-list-item=""
        >
          +{hidden} more<span className="visually-hidden">, {label}</span>
        </button>
      )}
    </div>
  );
}, isSame);

interface NowLineProps {
  readonly time: NonNullable<GridCell['time']>;
  readonly now: number;
}

/** In the hour that it is. */
function NowLine({ time, now }: NowLineProps) {
  if (now < time.from || now >= time.to) return null;
  const passed = (now - time.from) / (time.to - time.from);
  return <span className="now-line" aria-hidden="true" style={{ insetBlockStart: `${Math.round(passed * 100)}%` }} />;
}

export function countWords(posts: number): string {
  return posts === 0 ? 'no Posts' : posts === 1 ? '1 Post' : `${posts} Posts`;
}

function classOf(cell: GridCell, now: number): string {
  const states = [
    cell.time === null ? 'cell-none' : isOver(cell, now) ? 'cell-past' : '',
    cell.isOutside ? 'cell-outside' : '',
  ];
  return ['cell', ...states.filter((name) => name !== '')].join(' ');
}

/** The clock moves every 15 s: only cells that it passes through, or that hold Posts that may become due, heed it. */
function isSame(one: GridCellViewProps, other: GridCellViewProps): boolean {
  const cellIsSame = (Object.keys(one.cell) as (keyof GridCell)[]).every(
    (name) => one.cell[name] === other.cell[name] || isSamePair(one.cell[name], other.cell[name]),
  );
  return (
    cellIsSame &&
    one.column === other.column &&
    one.capacity === other.capacity &&
    one.look === other.look &&
    one.workspaceId === other.workspaceId &&
    one.canEdit === other.canEdit &&
    one.tabStop === other.tabStop &&
    (one.now === other.now || !isNear(one.cell, one.now, other.now))
  );
}

function isNear({ time }: GridCell, ...nows: readonly number[]): boolean {
  return time !== null && nows.some((now) => time.from <= now && now <= time.to + 60_000);
}

/** `time` and `hour` are made anew with each model. */
function isSamePair(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
  if (Array.isArray(one) || Array.isArray(other)) return false;
  return Object.entries(one).every(([name, value]) => (other as Record<string, unknown>)[name] === value);
}
