import { type Row } from './rows';
import { type Line, type Verdict } from './verdict';

const BAR = 30;

/** On a terminal, a progress bar redrawn in place; elsewhere, a line for each quarter of a row. */
export class Screen {
  private drawn = '';

  constructor(
    private readonly out: NodeJS.WriteStream,
    private readonly rows: number,
  ) {}

  begin(index: number, row: Row): (share: number) => void {
    let quarter = -1;
    const draw = (reported: number): void => {
      // A suite may try more than it announced.
      const share = Math.min(1, reported);
      const all = (index + share) / this.rows;
      const full = Math.round(all * BAR);
      const percent = `${Math.round(share * 100)} %`.padStart(5);
      const line = `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${index + 1}/${this.rows} ${percent} ${row.name}: ${row.promise}`;
      if (this.out.isTTY) this.redraw(line.slice(0, Math.max(40, this.out.columns - 1)));
      else if (Math.floor(share * 4) > quarter) {
        quarter = Math.floor(share * 4);
        this.out.write(`${line}\n`);
      }
    };
    draw(0);
    return draw;
  }

  /** Writes a permanent line. */
  say(text: string): void {
    this.redraw('');
    this.out.write(`${text}\n`);
  }

  private redraw(line: string): void {
    if (this.out.isTTY) this.out.write(`\r${line.padEnd(this.drawn.length)}${line === '' ? '\r' : ''}`);
    this.drawn = line;
  }
}

const HEADINGS = ['row', 'promise', 'tried', 'lost', 'doubled', 'seed', 'slowest', 'seconds', 'result'];

/** As Markdown, so that it can be pasted elsewhere. */
export function table(verdicts: readonly Verdict[]): string {
  const cells = verdicts.flatMap(({ row, lines, seconds }) =>
    lines.map((line: Line, index) => [
      row.name,
      line.promise,
      line.tried,
      line.lost,
      line.doubled,
      line.seed,
      line.slowest,
      index === 0 ? String(seconds) : '',
      line.result,
    ]),
  );
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...cells.map((line) => line[column]?.length ?? 0)),
  );
  const show = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [show(HEADINGS), rule, ...cells.map(show)].join('\n');
}
