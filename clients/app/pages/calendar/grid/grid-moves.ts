import type { GridModel } from './grid-model.ts';

/** Where the focus is: a cell, and what of it: `cell`, `more`, the id of a Post, or `menu` and the id. */
export interface GridSpot {
  readonly row: number;
  readonly column: number;
  readonly item: string;
}

/** The spot in the direction of a key, from cell to cell; null: the key means nothing here, or the grid ends. */
export function cellBeside(
  model: GridModel,
  { row, column }: GridSpot,
  key: string,
  isControl: boolean,
): GridSpot | null {
  const [lastRow, lastColumn] = [model.rows.length - 1, model.columns.length - 1];
  const places: Readonly<Record<string, readonly [row: number, column: number]>> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    Home: isControl ? [0, 0] : [row, 0],
    End: isControl ? [lastRow, lastColumn] : [row, lastColumn],
  };
  const [nextRow, nextColumn] = places[key] ?? [-1, -1];
  if (nextRow < 0 || nextRow > lastRow || nextColumn < 0 || nextColumn > lastColumn) return null;
  return { row: nextRow, column: nextColumn, item: 'cell' };
}

/** The next (1) or previous (-1) Post in order of time, or the control that lists those without room; null: none. */
export function postBeside(model: GridModel, from: GridSpot, direction: 1 | -1, capacity: number): GridSpot | null {
  const spots = postSpots(model, capacity);
  const start = timeOf(model, from);
  if (from.item === 'cell') {
    // From a cell the next one may be in it.
    const next = direction === 1 ? spots.find((spot) => timeOf(model, spot) >= start) : undefined;
    return next ?? spots.findLast((spot) => direction === -1 && timeOf(model, spot) < start) ?? null;
  }
  const item = from.item.replace(/^menu /, '');
  const at = spots.findIndex((spot) => spot.row === from.row && spot.column === from.column && spot.item === item);
  return spots[at + direction] ?? null;
}

function postSpots(model: GridModel, capacity: number): readonly GridSpot[] {
  const spots = model.rows.flatMap(({ cells }, row) =>
    cells.flatMap(({ cards }, column) => [
      ...cards.slice(0, capacity).map(({ card }) => ({ row, column, item: card.id })),
      ...(cards.length > capacity ? [{ row, column, item: 'more' }] : []),
    ]),
  );
  return spots.sort((one, other) => timeOf(model, one) - timeOf(model, other));
}

function timeOf(model: GridModel, { row, column }: GridSpot): number {
  return model.rows[row]?.cells[column]?.time?.from ?? 0;
}

/** Where the cell with that key is; null: it is not in the grid. */
export function spotOf(model: GridModel, key: string): { readonly row: number; readonly column: number } | null {
  for (const [row, { cells }] of model.rows.entries()) {
    const column = cells.findIndex((cell) => cell.key === key);
    if (column !== -1) return { row, column };
  }
  return null;
}
