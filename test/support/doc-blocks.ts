import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** A fenced block of a page. The words after its fence say what it is and, for commands, when they can be run. */
export type Block = Readonly<{
  page: string;
  /** The line of the fence. */
  line: number;
  language: string;
  /**
   * For commands: '' runs against a live service; `background` starts one and stays; `stopped` runs while it is down;
   * `install` is what the build machine does around the tests; `docker` needs a daemon; `long` takes minutes.
   */
  kind: string;
  code: string;
}>;

export function blocksOf(page: string): readonly Block[] {
  const lines = readFileSync(join(root, page), 'utf8').split('\n');
  const blocks: Block[] = [];
  let open: { line: number; info: string; code: string[] } | undefined;
  for (const [index, line] of lines.entries()) {
    const [, info] = /^```(.*)$/.exec(line) ?? [];
    if (info === undefined) {
      open?.code.push(line);
    } else if (open === undefined) {
      open = { line: index + 1, info, code: [] };
    } else {
      const [language = '', kind = ''] = open.info.trim().split(/\s+/);
      blocks.push({ page, line: open.line, language, kind, code: open.code.join('\n') });
      open = undefined;
    }
  }
  if (open) throw new Error(`${page}:${open.line}: a block without an end`);
  return blocks;
}

/** Programs that a reader needs and Node does not provide; a test that misses one says so instead of running. */
export const toolsIn = (blocks: readonly Block[]): readonly string[] =>
  ['bash', 'curl', 'jq', 'openssl', 'python3', 'tar'].filter(
    (tool) => tool === 'bash' || blocks.some(({ code }) => new RegExp(`(^|[^\\w./-])${tool}\\b`, 'm').test(code)),
  );
