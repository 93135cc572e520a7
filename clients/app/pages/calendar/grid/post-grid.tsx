import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState, type CSSProperties } from 'react';
import { whenIdle } from '../../../start/when-idle.ts';
import { GridCellView } from './grid-cell-view.tsx';
import { GridColumnHeaders } from './grid-column-headers.tsx';
import type { GridRow } from './grid-model.ts';
import type { PostGridProps } from './post-grid-props.ts';
import { useScrollAfterLayout } from './scroll-after-layout.ts';
import { useCardDrag } from './use-card-drag.ts';
import { useGridFocus } from './use-grid-focus.ts';
import './post-grid.css';

/** rem, of the row of column names that stays at the top. */
const HEADER_HEIGHT = 2.5;
const OVERSCAN_ROWS = 1;

/**
 * A calendar as an ARIA grid with one stop in the order of Tab: arrows go from cell to cell, Enter into a cell and to
 * its Posts, Escape back. Only rows in sight are drawn. It listens once for all of its Posts.
 */
export function PostGrid(props: PostGridProps) {
  const { label, viewId, model, look, capacity, rowHeight, workspaceId, canEdit, isBusy, now, firstRow } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const rem = useRemPixels();
  const top = firstRow * rowHeight * rem;
  const virtualizer = useVirtualizer<HTMLElement, Element>({
    ...useScrollAfterLayout(top),
    count: model.rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight * rem,
    overscan: useOverscan(),
    scrollMargin: HEADER_HEIGHT * rem,
    scrollPaddingStart: HEADER_HEIGHT * rem,
    initialOffset: top,
    initialRect: { width: 1_000, height: 0.75 * window.innerHeight },
  });
  const shownTop = useRef(top);
  useLayoutEffect(() => {
    if (shownTop.current !== top) scroller.current?.scrollTo({ top });
    shownTop.current = top;
  }, [top]);
  const focus = useGridFocus({ ...props, scroller, scrollToRow: (row) => virtualizer.scrollToIndex(row) });
  const drag = useCardDrag(props);
  const hasAxis = model.rows.some((row) => row.label !== '');
  const axis = !hasAxis ? '0rem' : model.viewerAxis === null ? '3.75rem' : '8rem';
  const columns = `${axis} repeat(${model.columns.length}, minmax(var(--cell-width), 1fr))`;
  return (
    <div
      ref={scroller}
      className={`post-grid post-grid-${look}`}
      role="grid"
      aria-label={label}
      aria-rowcount={model.rows.length + 1}
      aria-colcount={model.columns.length + 1}
      aria-busy={isBusy}
      style={{ '--columns': columns, '--axis': axis, '--count': model.columns.length } as CSSProperties}
      data-scroll-restoration-id={`calendar ${viewId}`}
      {...focus.handlers}
      {...drag}
    >
      <GridColumnHeaders model={model} />
      <div className="post-grid-rows" role="rowgroup" style={{ blockSize: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start, size }) => {
          const row = model.rows[index]!;
          return (
            <div
              key={row.key}
              className="post-grid-row"
              role="row"
              aria-rowindex={index + 2}
              style={{ transform: `translateY(${start - HEADER_HEIGHT * rem}px)`, blockSize: `${size}px` }}
            >
              <GridRowHeader row={row} />
              {row.cells.map((cell, column) => (
                <GridCellView
                  key={column}
                  {...{ cell, capacity, look, workspaceId, canEdit, now }}
                  column={column + 2}
                  tabStop={focus.spot.row === index && focus.spot.column === column ? focus.spot.item : null}
                />
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

function GridRowHeader({ row: { key, label, note, viewerLabel } }: { readonly row: GridRow }) {
  return (
    <div role="rowheader" aria-colindex={1} className="post-grid-axis">
      <span>{label === '' ? <span className="visually-hidden">Week of {key}</span> : label}</span>
      {note === null ? null : <span className="post-grid-again">{note}</span>}
      {viewerLabel === null ? null : <span className="post-grid-viewer">{viewerLabel}</span>}
    </div>
  );
}

/** Rows that are drawn beyond the edge: none before what is in sight was painted. */
function useOverscan(): number {
  const [rows, setRows] = useState(0);
  useEffect(() => whenIdle(() => setRows(OVERSCAN_ROWS)), []);
  return rows;
}

/** Of 1 rem: larger where a person has set larger text. To ask costs the style of all that has just changed. */
function useRemPixels(): number {
  return useState(() => Number.parseFloat(getComputedStyle(document.documentElement).fontSize))[0];
}
