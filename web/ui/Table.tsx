import styles from './Table.module.css';

export type Column<Row> = Readonly<{
  title: string;
  cell: (row: Row) => React.ReactNode;
  /** For figures, which are right-aligned. */
  align?: 'end';
  /** A short word that never wraps. */
  isShort?: true;
  /** A name of any length: it may wrap, but keeps room for a word. */
  isName?: true;
}>;

type TableProps<Row> = Readonly<{
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}>;

/** On a narrow screen every row becomes a block, each value beside its column's title. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div className={styles['frame']}>
      {/* Explicit roles: browsers drop the implicit ones where a style turns the rows into blocks. */}
      <table className={styles['table']} role="table" aria-label={label}>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, align }) => (
              <th key={title} role="columnheader" scope="col" data-align={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={keyOf(row)} role="row">
              {columns.map(({ title, cell, align, isShort, isName }) => (
                <td
                  key={title}
                  role="cell"
                  data-title={title}
                  data-align={align}
                  data-short={isShort}
                  data-name={isName}
                >
                  <div>{cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
