import {
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import { cellBeside, postBeside, spotOf, type GridSpot } from './grid-moves.ts';
import type { GridCell } from './grid-model.ts';
import type { PostGridProps } from './post-grid-props.ts';

export interface GridFocusOptions extends PostGridProps {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly scrollToRow: (row: number) => void;
}

/** A row that was far away is drawn some frames after scrolling to it. */
const MAX_FRAMES = 20;

/**
 * The one stop of a grid in the order of Tab, and what keys and clicks in it come to. The stop follows the focus,
 * however it came there.
 */
export function useGridFocus(options: GridFocusOptions) {
  const { model, firstRow, scroller, scrollToRow } = options;
  const [spot, setSpot] = useState<GridSpot>(() => firstSpot(options));
  const isWanted = useRef(false);
  const go = (next: GridSpot | null): void => {
    if (next === null) return;
    isWanted.current = true;
    setSpot(next);
  };
  useEffect(() => {
    if (!isWanted.current) return;
    isWanted.current = false;
    scrollToRow(spot.row);
    const key = model.rows[spot.row]?.cells[spot.column]?.key;
    if (key !== undefined) focusWhenDrawn(scroller, key, spot.item, MAX_FRAMES);
  }, [spot]);
  // Another range has other cells, and a Post may have gone: the stop is always something that is there.
  const shown = stopOf(options, spot, firstRow);
  return {
    spot: shown,
    handlers: {
      onKeyDown: (event: KeyboardEvent) => onKey(event, shown, options, go),
      onClick: (event: MouseEvent) => onClick(event, options),
      onContextMenu: (event: MouseEvent) => onContextMenu(event, options),
      onFocus: ({ target }: FocusEvent) => {
        const place = placeOf(target, options);
        if (place === null) return;
        const item = target.closest<HTMLElement>('[data-item]')?.dataset['item'] ?? 'cell';
        setSpot((old) =>
          old.row === place.row && old.column === place.column && old.item === item ? old : { ...place, item },
        );
      },
    },
  };
}

function firstSpot({ model, firstRow }: GridFocusOptions): GridSpot {
  const today = model.columns.findIndex(({ isToday }) => isToday);
  return { row: firstRow, column: Math.max(0, today), item: 'cell' };
}

function stopOf({ model, capacity }: GridFocusOptions, spot: GridSpot, firstRow: number): GridSpot {
  const cell = model.rows[spot.row]?.cells[spot.column];
  if (cell === undefined) return { row: Math.min(firstRow, model.rows.length - 1), column: 0, item: 'cell' };
  const id = spot.item.replace(/^menu /, '');
  const isThere =
    id === 'cell' ||
    (id === 'more' ? cell.cards.length > capacity : cell.cards.slice(0, capacity).some(({ card }) => card.id === id));
  return isThere ? spot : { ...spot, item: 'cell' };
}

function focusWhenDrawn(scroller: RefObject<HTMLElement | null>, key: string, item: string, frames: number): void {
  const cell = scroller.current?.querySelector<HTMLElement>(`[data-cell="${CSS.escape(key)}"]`);
  const target = item === 'cell' ? cell : cell?.querySelector<HTMLElement>(`[data-item="${CSS.escape(item)}"]`);
  if (target !== null && target !== undefined) target.focus({ preventScroll: true });
  else if (frames > 0) requestAnimationFrame(() => focusWhenDrawn(scroller, key, item, frames - 1));
}

function placeOf(target: EventTarget, { model }: GridFocusOptions) {
  const key = (target as Element).closest<HTMLElement>('[data-cell]')?.dataset['cell'];
  return key === undefined ? null : spotOf(model, key);
}

function cellOf(target: EventTarget, options: GridFocusOptions): GridCell | null {
  const place = placeOf(target, options);
  return place === null ? null : options.model.rows[place.row]!.cells[place.column]!;
}

function onKey(
  event: KeyboardEvent,
  spot: GridSpot,
  options: GridFocusOptions,
  go: (spot: GridSpot | null) => void,
): void {
  if (event.defaultPrevented || event.metaKey || event.altKey) return;
  const place = placeOf(event.target, options);
  if (place === null) return;
  const { key, ctrlKey } = event;
  const { model, capacity, onStep, onCompose, onMenu } = options;
  const cell = model.rows[place.row]!.cells[place.column]!;
  const done = (): void => event.preventDefault();
  if (key.startsWith('Arrow') || key === 'Home' || key === 'End') {
    done();
    go(withinCell(event, spot) ?? cellBeside(model, spot, key, ctrlKey));
  } else if (ctrlKey) {
    return;
  } else if (key === 'PageUp' || key === 'PageDown') {
    done();
    onStep(key === 'PageUp' ? -1 : 1);
  } else if (key === 'j' || key === 'k') {
    done();
    go(postBeside(model, spot, key === 'j' ? 1 : -1, capacity));
  } else if (key === 'n' || key === 'c') {
    done();
    onCompose(cell);
  } else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) {
    const postId = postOf(event.target);
    if (postId === null) return;
    done();
    onMenu(postId, event.target as Element);
  } else if (key === 'Escape' && spot.item !== 'cell') {
    done();
    event.stopPropagation();
    go({ ...spot, item: 'cell' });
  } else if (key === 'Enter' && spot.item === 'cell') {
    done();
    const first = cell.cards[0];
    if (first === undefined) onCompose(cell);
    else go({ ...spot, item: first.card.id });
  }
}

/** Up and down go through the controls of a cell before they leave it; null: they leave it, or are in none. */
function withinCell({ key, target }: KeyboardEvent, spot: GridSpot): GridSpot | null {
  if (spot.item === 'cell' || (key !== 'ArrowUp' && key !== 'ArrowDown')) return null;
  const cell = (target as Element).closest('[data-cell]');
  const items = [...(cell?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
  const at = items.findIndex(({ dataset }) => dataset['item'] === spot.item);
  const next = items[at + (key === 'ArrowDown' ? 1 : -1)]?.dataset['item'];
  return next === undefined ? null : { ...spot, item: next };
}

function postOf(target: EventTarget): string | null {
  return (target as Element).closest<HTMLElement>('[data-post]')?.dataset['post'] ?? null;
}

function onClick(event: MouseEvent, options: GridFocusOptions): void {
  const target = event.target as Element;
  const postId = postOf(target);
  const menu = target.closest('[data-menu]');
  if (postId !== null && menu !== null) {
    options.onMenu(postId, menu);
    return;
  }
  if (postId !== null && target.closest('a') !== null) {
    // With a key that opens another tab or window the browser follows the link.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    options.onOpen(postId);
    return;
  }
  const cell = cellOf(target, options);
  if (cell !== null && target.closest('[data-item]') !== null) options.onMore(cell);
}

function onContextMenu(event: MouseEvent, { onMenu }: GridFocusOptions): void {
  const postId = postOf(event.target);
  if (postId === null) return;
  event.preventDefault();
  onMenu(postId, event.target as Element);
}
