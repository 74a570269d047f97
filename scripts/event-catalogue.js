// Writes docs/event-catalogue.md from the event files: `npm run docs:events`. A test compares the two.
const { readdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const ts = require('typescript');

const root = join(__dirname, '..');
const target = join(root, 'docs', 'event-catalogue.md');

const eventFiles = () =>
  readdirSync(join(root, 'src/events'))
    .filter((file) => file.endsWith('.events.ts'))
    .map((file) => join('src/events', file))
    .sort();

/** The category follows from the file name, as the stream name does from the category. */
const categoryOf = (file) => /([a-z-]+)\.events\.ts$/.exec(file)[1].replaceAll('-', '_');

const commentOf = (node) => {
  const [doc] = node.jsDoc ?? [];
  const text = doc && ts.getTextOfJSDocComment(doc.comment);
  return text ? text.replace(/\s+/g, ' ') : '';
};

/** Every type whose `type` member is one string literal is an event; its data is listed as the compiler sees it. */
function eventsIn(file, program) {
  const checker = program.getTypeChecker();
  const events = [];
  ts.forEachChild(program.getSourceFile(join(root, file)), (node) => {
    if (!ts.isTypeAliasDeclaration(node) || node.typeParameters) return;
    const type = checker.getTypeAtLocation(node);
    const name = type.isUnion() ? undefined : type.getProperty('type');
    const data = type.isUnion() ? undefined : type.getProperty('data');
    const literal = name && checker.getTypeOfSymbol(name);
    // A union of one is the event itself under another name.
    if (!literal?.isStringLiteral() || !data || events.some((event) => event.name === literal.value)) return;
    const members = checker
      .getTypeOfSymbol(data)
      .getProperties()
      .map((member) => member.getName());
    events.push({ name: literal.value, about: commentOf(node), members });
  });
  return events;
}

function catalogue() {
  const files = eventFiles();
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    { ...options, incremental: false, tsBuildInfoFile: undefined, noEmit: true },
  );
  const parts = files.map((file) => {
    const rows = eventsIn(file, program).map(
      ({ name, about, members }) =>
        `| \`${name}\` | ${about.replaceAll('|', '\\|')} | ${members.map((member) => `\`${member}\``).join(' ')} |`,
    );
    return [
      `## \`${categoryOf(file)}-<id>\``,
      '',
      `From \`${file}\`.`,
      '',
      '| Event | | Holds |',
      '|---|---|---|',
      ...rows,
      '',
    ].join('\n');
  });
  const intro = [
    '# Event catalogue',
    '',
    'Generated from the code by `npm run docs:events`; do not edit it here. An event is `{stream, version, type, data, metadata}`; every one carries',
    '`event_id`, `occurred_at`, `request_id`, `actor`, `schema` and, where another event caused it, `causation_id` in its metadata.',
    '',
    '',
  ].join('\n');
  return intro + parts.join('\n');
}

module.exports = { catalogue, target };

if (require.main === module) writeFileSync(target, catalogue());
