// Why jobs were not paid, and how many have no end: counted by what a person has to do about it, and no further together.
import { expect, it } from 'vitest';
import type { Fate } from '../../lib/local/accounts.ts';
import { accountsAsText } from '../../lib/cli/local/local-report.ts';
import { closeAccounts } from '../../lib/local/accounts.ts';
import { verdictOn } from '../../lib/local/verdict.ts';
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

it('by merchant where the remedy names one, so that its command works as printed', () => {
  const unknown = (order: string) => fate(order, 'MERCHANT_UNKNOWN', 'there is no secret for this merchant');
  const remedies = verdictOn([unknown('one/1'), unknown('two/1'), unknown('two~check/1')]).reasons.map(
    ({ jobs, remedy }) => `${jobs} ${/--name (\S+)/.exec(remedy)?.[1]}`,
  );
  expect(remedies).toEqual(['2 payouts/two', '1 payouts/one']);
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
  expect(accountsAsText(accounts, 1000)).toContain('agree: 0 orders paid twice, 1 jobs without an end\n');
});
