// npm run sbom: writes sbom.json, a bill of materials (CycloneDX 1.5) of everything the service runs with. From the
// lock file, because npm's own command leaves out packages that a development tool also requires as a peer.
const { createHash } = require('node:crypto');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { productionPackages, readJson, root } = require('./production-packages');

const ALGORITHMS = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };

function hashesOf(integrity) {
  return (integrity ?? '').split(' ').flatMap((one) => {
    const at = one.indexOf('-');
    const alg = ALGORITHMS[one.slice(0, at)];
    return alg === undefined ? [] : [{ alg, content: Buffer.from(one.slice(at + 1), 'base64').toString('hex') }];
  });
}

const purlOf = ({ name, version }) => `pkg:npm/${name.replace('@', '%40')}@${version}`;
const licencesOf = (licence) => (/\s/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }]);

function billOfMaterials() {
  const { name, version, description } = readJson('package.json');
  const unique = new Map(productionPackages().map((one) => [purlOf(one), one]));
  const components = [...unique].map(([purl, one]) => ({
    type: 'library',
    'bom-ref': purl,
    name: one.name,
    version: one.version,
    scope: one.optional ? 'optional' : 'required',
    ...(one.licence === undefined ? {} : { licenses: licencesOf(one.licence) }),
    hashes: hashesOf(one.integrity),
    purl,
  }));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: serialOf(components),
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': purlOf({ name, version }), name, version, description } },
    components,
  };
}

/** The same materials give the same serial number, so that two bills can be compared byte by byte. */
function serialOf(components) {
  const hex = createHash('sha256').update(JSON.stringify(components)).digest('hex');
  return `urn:uuid:${[hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')}`;
}

function main() {
  const file = join(root, 'sbom.json');
  const bill = billOfMaterials();
  writeFileSync(file, `${JSON.stringify(bill, null, 2)}\n`);
  process.stdout.write(`${file}: ${bill.components.length} components\n`);
}

if (require.main === module) main();
module.exports = { billOfMaterials };
