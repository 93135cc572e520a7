import type { Key, ReactNode } from 'react';
import './table.css';

export interface TableColumn<Row> {
  /** Shown above, and beside each value where the page is narrow. */
  readonly name: string;
  readonly render: (row: Row) => ReactNode;
  /** The column that names the row. */
  readonly isHeader?: boolean;
  readonly isNumber?: boolean;
  /** For readers only: a column of buttons. */
  readonly isNameHidden?: boolean;
}

export interface TableProps<Row> {
  /** What is listed; for readers. */
  readonly caption: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => Key;
}

/** Rows and columns; where the page is narrow, each row is a block of names and values. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  // The roles are said again, as `display: block` on narrow pages takes them from the elements.
  return (
    <table className="table" role="table">
      <caption className="visually-hidden">{caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <th key={column.name} role="columnheader" scope="col" {...numberClass(column)}>
              <span className={column.isNameHidden === true ? 'visually-hidden' : undefined}>{column.name}</span>
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <tr key={keyOf(row)} role="row">
            {columns.map((column) => (
              <TableCell key={column.name} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function TableCell<Row>({ column, row }: { readonly column: TableColumn<Row>; readonly row: Row }) {
  const content = column.render(row);
  if (column.isHeader === true)
    return (
      <th role="rowheader" scope="row" {...numberClass(column)}>
        {content}
      </th>
    );
  return (
    <td role="cell" data-name={column.isNameHidden === true ? undefined : column.name} {...numberClass(column)}>
      {content}
    </td>
  );
}

function numberClass({ isNumber = false }: { readonly isNumber?: boolean }): { readonly className?: string } {
  return isNumber ? { className: 'table-number' } : {};
}
