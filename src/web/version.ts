import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The compiled file is one folder deeper than its source. */
const place = ['../..', '../../..'].map((up) => join(__dirname, up, 'package.json')).find((file) => existsSync(file));

export const serviceVersion = (JSON.parse(readFileSync(place ?? 'package.json', 'utf8')) as { version: string })
  .version;
