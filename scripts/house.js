// How large the project is, by folder, beside what is enough (house.json): lines and files that git tracks, and how many
// files of src and projections run during one create, one delivery, and one create on MongoDB. It only reports.
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const budgets = require('./house.json');

const root = join(__dirname, '..');
const tracked = execFileSync('git', ['ls-files', 'src', 'projections', 'test'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter(Boolean);

const isCode = (file) => /^(src|projections)\/.*\.ts$/.test(file) && !isSpec(file);
const isSpec = (file) => /^(src|projections)\/.*(\.|-)(spec|fixtures)\.ts$/.test(file);
const under =
  (...folders) =>
  (file) =>
    isCode(file) && folders.some((folder) => file.startsWith(`${folder}/`));

const folders = [
  ...new Set(
    tracked.filter(isCode).map((file) =>
      file
        .split('/')
        .slice(0, file.startsWith('src/') ? 2 : 1)
        .join('/'),
    ),
  ),
]
  .filter((folder) => !folder.endsWith('.ts'))
  .sort();

const groups = new Map([
  ['src and projections, without specs', isCode],
  ...folders.map((folder) => [folder, under(folder)]),
  ['src/http and src/api', under('src/http', 'src/api')],
  ['specs and fixtures of src and projections', isSpec],
  ['test', (file) => file.startsWith('test/')],
]);

const linesIn = (file) => readFileSync(join(root, file), 'latin1').split('\n').length - 1;

const print = (line) => void process.stdout.write(`${line}\n`);
const beside = (found, enough) => (enough === undefined ? '' : `${enough}${found > enough ? ' (over)' : ''}`);
const row = (name, { lines = '', files }) => {
  const enough = budgets[name] ?? {};
  print(`| ${name} | ${lines} | ${beside(lines, enough.lines)} | ${files} | ${beside(files, enough.files)} |`);
};

print('| | lines | enough | files | enough |\n|---|---|---|---|---|');
for (const [name, belongs] of groups) {
  const files = tracked.filter(belongs);
  row(name, { lines: files.reduce((sum, file) => sum + linesIn(file), 0), files: files.length });
}
if (!process.argv.includes('--lines')) {
  const ran = execFileSync(process.execPath, ['-r', './test/support/register-swc.js', 'scripts/house-files-run.js'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for (const [name, files] of Object.entries(JSON.parse(ran))) row(name, { files });
}
