import type { GridModel } from './grid-model.ts';

/** The names of the columns, and of the zones of the row names; stays at the top. */
export function GridColumnHeaders({ model: { columns, axis, viewerAxis } }: { readonly model: GridModel }) {
  return (
    <div className="post-grid-headers" role="row" aria-rowindex={1}>
      <div role="columnheader" aria-colindex={1} className="post-grid-axis">
        <span>{axis === '' ? <span className="visually-hidden">Week</span> : axis}</span>
        {viewerAxis === null ? null : <span className="post-grid-viewer">You: {viewerAxis}</span>}
      </div>
      {columns.map(({ key, label, note, isToday }, index) => (
        <div
          key={key}
          role="columnheader"
          aria-colindex={index + 2}
          className={`post-grid-header${isToday ? ' post-grid-today' : ''}`}
          aria-current={isToday ? 'date' : undefined}
        >
          {label}
          {note === null ? null : <span className="post-grid-unusual">{note}</span>}
        </div>
      ))}
    </div>
  );
}
