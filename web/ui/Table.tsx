import styles from './Table.module.css';

export type Column<Row> = Readonly<{
  title: string;
  cell: (row: Row) => React.ReactNode;
  /** Figures stand at the right. */
  align?: 'end';
  /** A short word that is not to be broken, whatever else has to be. */
  isShort?: true;
  /** Somebody's name: as long as people like, so it may break, but not while there is room for a word. */
  isName?: true;
}>;

type TableProps<Row> = Readonly<{
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}>;

/** On a narrow screen every row becomes a block of its own, each value beside its column's title. */
export function Table<Row>({ label, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <div className={styles['frame']}>
      {/* The roles are said outright: a browser forgets them where a style makes blocks of the rows. */}
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
