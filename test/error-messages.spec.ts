import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { errorCatalogue } from '../src/kernel/error-catalogue';

const src = join(__dirname, '../src');

/** What a person can do next begins with one of these. */
const DO = new Set(
  (
    'Add Answer Ask Check Choose Connect Copy Create Fix Flatten GET Get Give Leave Make Name Publish Read Refresh Register Remove Repeat Report ' +
    'Request Send Set Shorten Sign Start Submit Treat Type Use Verify Wait Write'
  ).split(' '),
);

const firstWord = (text: string): string => /^\w+/.exec(text)?.[0] ?? '';

describe('the catalogue', () => {
  it.each(Object.entries(errorCatalogue))(
    '%s says what happened and what to do next',
    (_code, { meaning, recovery }) => {
      expect(meaning).toMatch(/^[A-Z].{10,}\.$/);
      expect(recovery).toMatch(/^.{15,}\.$/);
      expect([recovery, DO.has(firstWord(recovery))]).toEqual([recovery, true]);
    },
  );
});

/** Names of functions that make a problem, with where its message stands among what they are given. */
const MAKERS: Readonly<Record<string, number>> = {
  problem: 1,
  invalid: 0,
  invalidMemo: 0,
  testnetForm: 0,
  unknown: 1,
  refused: 0,
  invalidAssertion: 0,
  contractNotAccepted: 0,
  issuerNotAccepted: 0,
};

type Found = Readonly<{ place: string; message: string }>;

/** Every message for callers in a file: a `message` property written out, or what a maker is given. */
function messagesIn(path: string): Found[] {
  const source = ts.createSourceFile(path, readFileSync(join(src, path), 'utf8'), ts.ScriptTarget.ES2022, true);
  const found: Found[] = [];
  const take = (node: ts.Expression | undefined): void => {
    const message = node && textOf(node);
    // Kinds such as port_not_allowed are for programs.
    if (node === undefined || message === undefined || /^[a-z]+(_[a-z]+)*$/.test(message)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push({ place: `${path}:${line + 1}`, message });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && /^(message|expected)$/.test(node.name.getText())) take(node.initializer);
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const { text } = node.expression;
      // In one file the field comes before the code, in the others it is fixed; the message is last everywhere.
      if (text === 'issue') take(node.arguments.at(-1));
      else if (text in MAKERS) take(node.arguments[MAKERS[text] ?? 0]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The text as it is written, with … for what is put in; undefined for anything else. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (ts.isBinaryExpression(node)) {
    const [left, right] = [textOf(node.left), textOf(node.right)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

/**
 * `must …`, `needs …` and `is required` say themselves what to do; anything else does so behind a semicolon or in a
 * second sentence.
 */
function saysWhatToDo(message: string): boolean {
  if (/^(The .{1,30}|[a-z]+( and [a-z]+)?,?( where present,)?)? ?(must|may|needs|is required)\b/.test(message))
    return true;
  if (/ is a whole number from /.test(message)) return true;
  // What is expected stands in a text of its own, which is looked at where it is written.
  if (message.endsWith('. …')) return true;
  const [what = '', ...next] = message.split(/(?:[.;:] |, and )/);
  return (
    DO.has(firstWord(what)) || next.some((part) => DO.has(firstWord(part.charAt(0).toUpperCase() + part.slice(1))))
  );
}

describe('messages about input', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      path.endsWith('.ts') && !/\.(spec|contract-spec|fixtures)\.ts$/.test(path) && !path.startsWith('audit/proofs/'),
  );
  const messages = files.flatMap(messagesIn);

  it('are found', () => {
    expect(messages.length).toBeGreaterThan(80);
    expect(messages.map(({ place }) => place.split(':')[0])).toEqual(
      expect.arrayContaining([
        'http/input/checks.ts',
        'capabilities/recipients/recipient.ts',
        'networks/assets.ts',
        'platform/egress/domain-names.ts',
      ]),
    );
  });

  it('each say what to do', () => {
    expect(messages.filter(({ message }) => !saysWhatToDo(message))).toEqual([]);
  });
});
