// The packages installed with the service at runtime, according to the lock file: not build or test tools.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const readJson = (...path) => JSON.parse(readFileSync(join(root, ...path), 'utf8'));

/** Some packages declare their licence in an old format that the lock file does not pick up. */
function licenceInPackage(place) {
  try {
    const { license, licenses } = readJson(place, 'package.json');
    const named = [license, ...(licenses ?? [])].flatMap((one) => (typeof one === 'string' ? one : (one?.type ?? [])));
    return named.length === 0 ? undefined : named.join(' OR ');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function productionPackages() {
  const { packages } = readJson('package-lock.json');
  return Object.entries(packages)
    .filter(([place, { dev, link }]) => place !== '' && !dev && !link)
    .map(([place, { name, version, license, integrity, optional }]) => ({
      place,
      name: name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license ?? licenceInPackage(place),
      integrity,
      optional: optional === true,
    }))
    .sort((one, other) => one.place.localeCompare(other.place, 'en'));
}

module.exports = { productionPackages, readJson, root };
