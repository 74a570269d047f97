// npm run licences: lists the licence of every package the service runs with, and fails on one that is not allowed.
const { productionPackages } = require('./production-packages');

/** All of them permissive: they require keeping their notice, and nothing of our own code. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
]);

/** SPDX as far as packages use it: one of the alternatives must be allowed, or all parts of a conjunction. */
function isAllowed(licence) {
  if (licence === undefined) return false;
  // With both in one expression, a person has to read how the parts belong together.
  if (/\sOR\s/.test(licence) && /\sAND\s/.test(licence)) return false;
  const parts = licence.replace(/[()]/g, '').split(/\s+OR\s+/);
  return parts.some((part) => part.split(/\s+AND\s+/).every((one) => ALLOWED.has(one)));
}

function refusedLicences(packages) {
  return packages.filter(({ licence }) => !isAllowed(licence));
}

function main() {
  const packages = productionPackages();
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one.licence ?? 'unknown']));
  for (const [name, licence] of unique) process.stdout.write(`${licence}\t${name}\n`);
  const refused = refusedLicences(packages);
  for (const { name, version, licence } of refused) {
    process.stderr.write(`not allowed: ${name}@${version} (${licence ?? 'no licence named'})\n`);
  }
  process.exitCode = refused.length === 0 ? 0 : 1;
}

if (require.main === module) main();
module.exports = { isAllowed, refusedLicences };
