/** Some columns of rows, as parameters that are named by the column and the position of the row, such as `channel_0`. */
export type NumberedRows<Row, Column extends keyof Row & string> = {
  readonly [Name in Column as `${Name}_${number}`]: Row[Name];
};

/** Names the columns of rows by their positions, for a statement with a list of values. */
export function numberedRows<Row extends object, Column extends keyof Row & string>(
  columns: readonly Column[],
  rows: readonly Row[],
): NumberedRows<Row, Column> {
  const named: Partial<Record<string, Row[Column]>> = {};
  rows.forEach((row, nth) => {
    for (const column of columns) named[`${column}_${nth}`] = row[column];
  });
  return named as NumberedRows<Row, Column>;
}
