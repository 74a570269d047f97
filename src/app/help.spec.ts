import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkNames } from '../networks';
import { readConfig } from '../platform/config';
import { greeting, helpText } from './help';
import { settings } from './settings';

describe('the table of settings', () => {
  it('matches the README', () => {
    const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8');
    const row = ({ names, fallback, meaning }: (typeof settings)[number]): string =>
      `| ${names.map((name) => `\`${name}\``).join(', ')} | ${fallback} | ${meaning} |`;
    const [, table] =
      /## Configuration\n\n\| Variable \| Default \| \|\n\|---\|---\|---\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
    expect(table?.trim().split('\n')).toEqual(settings.map(row));
  });

  it('names every setting that is read', () => {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string>>(
      { EVENT_STORE: 'eventstoredb', READ_STORE: 'mongodb', SERVICE_SECRET: 'x'.repeat(32) },
      {
        get(target, name: string) {
          asked.add(name);
          if (name === 'EVENTSTORE_URL') return 'esdb://localhost';
          return name === 'MONGODB_URL' ? 'mongodb://localhost' : target[name];
        },
      },
    );
    readConfig(env, networkNames);
    const told = helpText(settings);
    expect(asked.size).toBeGreaterThan(15);
    expect([...asked].filter((name) => !new RegExp(`\\b${name}\\b`).test(told))).toEqual([]);
  });
});

describe('the help', () => {
  const lines = helpText(settings).split('\n');

  it('says what the service is, how to configure it and where to read on, in lines that fit', () => {
    expect(lines[0]).toContain('payment request service');
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
    for (const file of helpText(settings).match(/[\w./-]+\.md/g) ?? []) {
      expect(readFileSync(join(__dirname, '../..', file), 'utf8')).not.toBe('');
    }
  });
});

describe('what a start prints', () => {
  const printed = (ROLE: string): string => {
    const engines = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: 'esdb://localhost', SERVICE_SECRET: 'x'.repeat(32) };
    const env = { ...engines, READ_STORE: 'mongodb', MONGODB_URL: 'mongodb://localhost', ROLE };
    return greeting('http://127.0.0.1:8787', readConfig(env, networkNames));
  };
  const first = 'svc listens on http://127.0.0.1:8787 (eventstoredb event store, mongodb read store)\n';

  it('offers the API where it is served, and not on a worker, which answers 404 there', () => {
    expect(printed('worker')).toBe(first);
    for (const role of ['all', 'api']) {
      expect(printed(role).startsWith(first)).toBe(true);
      expect(printed(role)).toContain('http://127.0.0.1:8787/docs');
    }
  });
});
