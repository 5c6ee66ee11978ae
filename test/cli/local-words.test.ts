// The words of a local run: where the jobs are while it runs, and what to do about a failure.
import { expect, it } from 'vitest';
import { textOfProgress } from '../../lib/cli/local/progress-text.ts';
import { jobSeenIn } from '../../lib/local/job-feed.ts';
import { remedyFor } from '../../lib/operate/remedies.ts';

it('no more jobs wait than there are, though one may be parked and its message not yet gone', () => {
  const progress = { sent: 4, results: 0, waiting: 6, inDoubt: 0, held: 0, lanes: [], elapsedMs: 1000 };
  expect(textOfProgress(progress, 4, '', 0)).toContain('4 jobs · 0 results · 4 wait · 1 s');
});

it('the line of progress has the reason that the worker knows', () => {
  const progress = { sent: 1, results: 0, waiting: 1, inDoubt: 0, held: 0, lanes: [], elapsedMs: 1000 };
  const line = textOfProgress({ ...progress, because: 'unsent, NOT_SENT' }, 1, '', 0);
  expect(line).toContain('1 job · 0 results · 1 wait (unsent, NOT_SENT) · 1 s');
  const seen = jobSeenIn(
    JSON.stringify({
      event: 'job',
      merchant: 'acme-eu',
      orderId: 'A',
      disposition: 'wait',
      because: 'unsent',
      failureCode: 'NOT_SENT',
    }),
  );
  expect(seen?.waitsFor).toBe('unsent, NOT_SENT');
});

it.each([
  ['no connection (the proxy answered 407)', /^Your proxy refuses its name and password/],
  ['no connection (the proxy answered 503)', /^Your own proxy is in the way, not the gateway/],
  ['no connection (the proxy: ECONNRESET)', /^Your own proxy is in the way, not the gateway/],
  ['no connection (ECONNREFUSED)', /^No program listens at the gateway's address/],
])('"%s" is told as what it is', (message, remedy) => {
  expect(remedyFor({ code: 'NOT_SENT', message })).toMatch(remedy);
});
