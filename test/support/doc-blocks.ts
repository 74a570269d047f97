import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');

/** A fenced block of a page. The words behind its fence say what it is and, for commands, when they can be run. */
export type Block = Readonly<{
  page: string;
  /** Of the fence. */
  line: number;
  language: string;
  /**
   * Of commands: '' runs against a live service; `background` starts one and stays; `stopped` runs while it is stopped;
   * `install` is what the build machine does before and around the tests; `docker` needs a daemon; `long` takes minutes.
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

/** Programs a reader must have that Node does not bring; a test that finds one missing says so instead of running. */
export const toolsIn = (blocks: readonly Block[]): readonly string[] =>
  ['bash', 'curl', 'jq', 'openssl', 'python3', 'tar'].filter(
    (tool) => tool === 'bash' || blocks.some(({ code }) => new RegExp(`(^|[^\\w./-])${tool}\\b`, 'm').test(code)),
  );
