// Numbers and names that pages state in prose are those of the code and of the templates. If one changes, this test names the pages.
import { expect, it } from 'vitest';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { ofType } from '../infra/packaged.ts';
import { standBill } from '../bench/price-model.ts';
import { prices } from '../bench/prices.ts';
import { pageOf } from './pages.ts';

const queues = new Map(ofType('AWS::SQS::Queue'));
const retentionDays = (queue: string) => Number(queues.get(queue)?.['MessageRetentionPeriod']) / 86_400;

/** The name behind `payouts-<stage>-`. */
const nameOf = (name: unknown) => String(name).replace(/^payouts-[a-z]+-/, '');

const { credentialsTtlMs } = defaultLimits;
const jobs = retentionDays('JobsQueue');

const stated: readonly [page: string, sentence: string][] = [
  ['runbook.md', `Queues keep messages for ${jobs} days`],
  ['settings.md', `fetch the secret within ${credentialsTtlMs / 60_000 === 5 ? 'five' : '?'} minutes`],
  ['settings.md', `${prices.kmsMillionRsaSignatures} dollars a million`],
  ['deploying.md', `for queue in ${[...queues.values()].map(({ QueueName }) => nameOf(QueueName)).join(' ')}; do`],
  ['lanes.md', `costs about ${Math.round(standBill())} dollars`],
];

it.each(stated)('%s says "%s"', (page, sentence) => {
  expect(pageOf(`infra/docs/${page}`).text.replaceAll(/\s+/g, ' ')).toContain(sentence);
});

it.each([
  ['runbook.md', 'the ledger keeps every order'],
  ['jobs-and-results.md', 'the same id is the same order for ever'],
])('no order expires, and %s says so', (page, sentence) => {
  expect(pageOf(`infra/docs/${page}`).text.replaceAll(/\s+/g, ' ')).toContain(sentence);
});
