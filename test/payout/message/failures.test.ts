// Every code that the code can say is published, and what is published is said somewhere.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Failure, isFailureCode, failureCodes } from '../../../lib/payout/message/failures.ts';

const lib = `${import.meta.dirname}/../../../lib`;
const rooms = ['gateway', 'payout', 'aws', 'card-data', 'batches', 'dead-letters', 'merchants', 'restore', 'reconcile'];
const sources = rooms
  .flatMap((room) => readdirSync(`${lib}/${room}`, { recursive: true }).map((file) => `${room}/${String(file)}`))
  .filter((file) => file.endsWith('.ts') && !/\/(failures|gateway-outcome)\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(`${lib}/${file}`, 'utf8') }));

describe('failure codes', () => {
  it.each(Object.keys(failureCodes).filter((code) => code !== 'HTTP_4xx'))('%s is said somewhere', (code) => {
    expect(sources.some(({ text }) => text.includes(`'${code}'`))).toBe(true);
  });

  it('HTTP_4xx is said with its status', () => {
    expect(sources.some(({ text }) => text.includes('`HTTP_${'))).toBe(true);
  });

  it('that are misspelt do not compile', () => {
    // @ts-expect-error -- the list is closed
    const misspelt: Failure = { code: 'NOT_SEND', message: '' };
    expect(isFailureCode(misspelt.code)).toBe(false);
  });

  it.each(['NOT_SENT', 'FILTERED', 'HTTP_404', 'LEDGER_ENTRY_UNREADABLE'])('%s is read back', (code) => {
    expect(isFailureCode(code)).toBe(true);
  });

  it.each(['', 'HTTP_4xx', 'HTTP_500', 'HTTP_4040', 'toString', 'not_sent'])('"%s" is none', (code) => {
    expect(isFailureCode(code)).toBe(false);
  });

  it.each(Object.entries(failureCodes))('%s says in a sentence what happened to the money', (_, sentence) => {
    expect(sentence).toMatch(/(sent|money|created|dead-letter|no money moved)/);
    expect(sentence).toMatch(/^[A-Z].*\.$/s);
  });
});
