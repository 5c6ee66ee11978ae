// Every code that the code can say is published, and what is published is said somewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failureCodes } from '../../lib/payout/failures.ts';

const lib = `${import.meta.dirname}/../../lib`;
const rooms = ['gateway', 'payout', 'aws', 'card-data', 'batches', 'dead-letters', 'merchants', 'restore', 'reconcile'];
const sources = rooms
  .flatMap((room) => readdirSync(`${lib}/${room}`).map((file) => `${room}/${file}`))
  .filter((file) => file.endsWith('.ts') && file !== 'payout/failures.ts')
  .map((file) => ({ file, text: readFileSync(`${lib}/${file}`, 'utf8') }));

/** Codes of log lines, classes and retries that no result ever bears. */
const notInResults = new Set(['CONFIGURATION', 'LEDGER_ENTRY_UNREADABLE']);

describe('failure codes', () => {
  it.each(Object.keys(failureCodes).filter((code) => code !== 'HTTP_4xx'))('%s is said somewhere', (code) => {
    expect(sources.some(({ text }) => text.includes(`'${code}'`))).toBe(true);
  });

  it('HTTP_4xx is said with its status', () => {
    expect(sources.some(({ text }) => text.includes('`HTTP_${'))).toBe(true);
  });

  it('are all published', () => {
    const said = sources.flatMap(({ text }) =>
      [...text.matchAll(/\bcode[:=]\s*'([A-Z][A-Z_]+)'/g)].map(([, code]) => code),
    );
    const published = new Set<string | undefined>([...Object.keys(failureCodes), ...notInResults]);
    expect(said.filter((code) => !published.has(code))).toEqual([]);
  });

  it.each(Object.entries(failureCodes))('%s says in a sentence what happened to the money', (_, sentence) => {
    expect(sentence).toMatch(/(sent|money|created|dead-letter|no money moved|order stands)/);
    expect(sentence).toMatch(/^[A-Z].*\.$/s);
  });
});
