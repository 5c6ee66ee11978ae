// The words of a local run: where the jobs are while it runs, and what to do about a failure.
import { expect, it } from 'vitest';
import { textOfProgress } from '../../lib/cli/local/progress-text.ts';
import { hasSucceeded, runText } from '../../lib/cli/local/run-text.ts';
import { verdict } from '../../lib/operate/verdict.ts';
import { remedyFor } from '../../lib/operate/remedies.ts';

it('no more jobs wait than there are, though one may be parked and its message not yet gone', () => {
  const progress = { results: 0, waiting: 6, inDoubt: 0, held: 0, lanes: [], elapsedMs: 1000 };
  expect(textOfProgress(progress, 4, '', 0)).toContain('4 jobs · 0 results · 4 wait · 1 s');
});

it('a lane that holds jobs up has a line of its own', () => {
  const lane = {
    merchant: 'acme-eu',
    endpointId: '1',
    condition: 'closed',
    ratePerSecond: 1,
    waiting: 1,
    lines: [],
  } as const;
  const lanes = [{ ...lane, reason: 'no answer', nextProbeAtMs: 4_000 }];
  const progress = { results: 0, waiting: 1, inDoubt: 0, held: 0, lanes, elapsedMs: 1000 };
  expect(textOfProgress(progress, 1, '', 0).split('\n')[1]).toBe(
    '    acme-eu at 1 closed: no answer, next probe in 4 s',
  );
});

it('a rehearsal that stopped before its payments had ended says so, and has not succeeded', () => {
  const run = { messages: 2, deadLetters: 0, elapsedMs: 1_000, lines: [], verdict: verdict({ sending: 1, paid: 1 }) };
  expect(runText(run, true)).toContain('✘ 1 of 2 payments had not ended when the run stopped');
  expect(hasSucceeded(run, true)).toBe(false);
  const ended = { ...run, verdict: verdict({ held: 1, failed: 1 }) };
  expect(runText(ended, true)).not.toContain('ended');
  expect([hasSucceeded(ended, true), hasSucceeded(ended, false)]).toEqual([true, false]);
});

it.each([
  ['no connection (the proxy answered 407)', /^Your proxy refuses its name and password/],
  ['no connection (the proxy answered 503)', /^Your own proxy is in the way, not the gateway/],
  ['no connection (the proxy: ECONNRESET)', /^Your own proxy is in the way, not the gateway/],
  ['no connection (ECONNREFUSED)', /^No program listens at the gateway's address/],
])('"%s" is told as what it is', (message, remedy) => {
  expect(remedyFor({ code: 'NOT_SENT', message })).toMatch(remedy);
});
