/** Control characters and direction marks could make a terminal show something else. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export const plain = (value: unknown): string =>
  (typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)).replace(
    UNPRINTABLE,
    '\ufffd',
  );

/** One row; cells shorter than their column are padded, longer ones are not cut. */
export const row = (cells: readonly unknown[], widths: readonly number[]): string =>
  cells
    .map((cell, index) => plain(cell).padEnd(widths[index] ?? 0))
    .join('  ')
    .trimEnd();

/** A whole table, each column as wide as its widest cell. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): readonly string[] {
  const widths = head.map((title, index) => Math.max(title.length, ...rows.map((cells) => plain(cells[index]).length)));
  return [row(head, widths), ...rows.map((cells) => row(cells, widths))];
}
