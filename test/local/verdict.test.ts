// Why jobs were not paid, and how many have no end: counted by what a person has to do about it, and no further together.
import { expect, it } from 'vitest';
import type { Fate } from '../../lib/local/accounts.ts';
import { accountsAsText, reasonsText } from '../../lib/cli/local/local-report.ts';
import { closeAccounts, fatesOf } from '../../lib/local/accounts.ts';
import { verdictOn } from '../../lib/local/verdict.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { aPayoutJob } from '../support/jobs.ts';

function fate(order: string, code: string, message: string): Fate {
  const ending = code === 'NOT_SENT' ? 'waiting' : 'failed';
  return { message: { line: 1, messageId: order, body: '{}' }, order, ending, failure: { code, message } };
}

const reasonsOf = (...fates: Fate[]) =>
  verdictOn(fates).reasons.map(({ jobs, message, remedy, andTheLike }) => [
    jobs,
    message,
    remedy.slice(0, 17),
    andTheLike,
  ]);

it('apart where the remedies differ, as for two ways in which no connection comes about', () => {
  expect(
    reasonsOf(
      fate('acme-eu/1', 'NOT_SENT', 'no connection (ECONNREFUSED)'),
      fate('acme-eu/2', 'NOT_SENT', 'no connection (ENOTFOUND)'),
      fate('acme-eu/3', 'NOT_SENT', 'no connection (ECONNREFUSED)'),
    ),
  ).toEqual([
    [2, 'no connection (ECONNREFUSED)', 'Nobody listens at', undefined],
    [1, 'no connection (ENOTFOUND)', 'The name of the g', undefined],
  ]);
});

it('with the likely cause where the gateway spoke no HTTP, and what to do about the doubt all the same', () => {
  const spokeTls = 'the connection failed after the request was sent (HPE_INVALID_CONSTANT)';
  const [reason] = verdictOn([fate('acme-eu/1', 'NO_ANSWER', spokeTls)]).reasons;
  expect(reason?.remedy).toMatch(/^What answers there speaks no HTTP: write https:\/\/ instead.*Look the order up/);
});

it('by merchant where the remedy names one, so that its command works as printed', () => {
  const unknown = (order: string) => fate(order, 'MERCHANT_UNKNOWN', 'there is no secret for this merchant');
  const remedies = verdictOn([unknown('one/1'), unknown('two/1'), unknown('two/2')]).reasons.map(
    ({ jobs, remedy }) => `${jobs} ${/--name (\S+)/.exec(remedy)?.[1]}`,
  );
  expect(remedies).toEqual(['2 payouts/two', '1 payouts/one']);
});

it('by merchant too where the word was about a message and not an order', () => {
  const bodies = ['U-1', 'U-2'].map((orderId) => JSON.stringify(aPayoutJob({ orderId, merchant: 'nobody' })));
  const sent = bodies.map((body, index) => ({ line: index + 1, messageId: `message-${index}`, body }));
  const said = { version: 1, final: true, attempts: 0, occurredAt: '2026-11-23T00:00:00.000Z' } as const;
  const failure = { code: 'MERCHANT_UNKNOWN', message: 'there is no secret for this merchant' } as const;
  const results: Result[] = sent.map(({ messageId }) => ({
    ...said,
    resultId: `rejected/${messageId}`,
    status: 'rejected',
    failure,
  }));
  const { reasons } = verdictOn(fatesOf({ sent, results, deadLetterMessageIds: ['message-0', 'message-1'] }));
  expect(reasons).toMatchObject([{ jobs: 2, remedy: expect.stringContaining('--name payouts/nobody ') }]);
});

it('with the name that the secret has where the worker looks for it', () => {
  const unknown = fate('acme-eu/1', 'MERCHANT_UNKNOWN', 'there is no secret for this merchant');
  expect(verdictOn([unknown], { secretPrefix: 'payouts/prod/' }).reasons[0]?.remedy).toContain(
    '--name payouts/prod/acme-eu ',
  );
});

it('with the word that is awaited as a command for the first of them, where the ledger outlives the run', () => {
  const silent = { ...fate('acme-eu/S-1', 'NO_ANSWER', 'no whole answer'), ending: 'in doubt' as const };
  const [kept] = verdictOn([silent]).reasons;
  expect(kept?.remedy).toContain(
    '`npx --no payouts release acme-eu/S-1 --as paid --reason "<what you saw>"`, `npx --no payouts release acme-eu/S-1 --as not-paid',
  );
  const [over] = verdictOn([silent], { secretPrefix: 'payouts/', ledgerEnds: true }).reasons;
  expect(over?.remedy).toMatch(/Look the order up at your gateway; nothing is sent again until it is known\.$/);
});

it('with the first lines that it is about, where nothing else names them', () => {
  const fates = [4, 7, 8, 12, 15, 16, 31].map((line) => ({
    ...fate(`m-${line}`, 'INVALID_MESSAGE', 'message is not JSON'),
    message: { line, messageId: `m-${line}`, body: '' },
  }));
  expect(reasonsText(verdictOn(fates).reasons, 'line')).toContain('    lines 4, 7, 8, 12, 15 and 2 more');
  expect(reasonsText(verdictOn(fates.slice(0, 1)).reasons, 'line')).toContain('    line 4');
});

it('together where one remedy serves, and then it says that others were told in other words', () => {
  expect(
    reasonsOf(
      fate('m-1', 'INVALID_MESSAGE', 'message is not JSON'),
      fate('m-2', 'INVALID_MESSAGE', 'version is missing'),
    ),
  ).toEqual([[2, 'message is not JSON', 'Mend these lines ', true]]);
});

it('the books of a rehearsal agree, and still count the jobs that wait as jobs without an end', () => {
  const body = JSON.stringify(aPayoutJob({ orderId: 'W-1' }));
  const sent = [{ line: 1, messageId: 'm-1', body }];
  const standings = new Map([['acme-eu/W-1', { ending: 'waiting' as const }]]);
  const accounts = closeAccounts({ sent, results: [], deadLetterMessageIds: [], payments: [], standings });
  expect(accounts.agree).toBe(true);
  expect(accountsAsText(accounts, 1000)).toContain('agree: 0 orders paid twice, 1 job without an end\n');
});
