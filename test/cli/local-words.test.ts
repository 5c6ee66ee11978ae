// The words of a local run: where the jobs are while it runs, and what to do about a failure.
import { expect, it } from 'vitest';
import { textOfProgress } from '../../lib/cli/local/progress-text.ts';
import { remedyFor } from '../../lib/operate/remedies.ts';

it('no more jobs wait than there are, though one may be parked and its message not yet gone', () => {
  const progress = { results: 0, waiting: 6, inDoubt: 0, held: 0, lanes: [], elapsedMs: 1000 };
  expect(textOfProgress(progress, 4, '', 0)).toContain('4 jobs · 0 results · 4 wait · 1 s');
});

it.each([
  ['no connection (the proxy answered 407)', /^Your proxy refuses its name and password/],
  ['no connection (the proxy answered 503)', /^Your own proxy is in the way, not the gateway/],
  ['no connection (the proxy: ECONNRESET)', /^Your own proxy is in the way, not the gateway/],
  ['no connection (ECONNREFUSED)', /^No program listens at the gateway's address/],
])('"%s" is told as what it is', (message, remedy) => {
  expect(remedyFor({ code: 'NOT_SENT', message })).toMatch(remedy);
});
