// Numbers that pages state in prose are those of the code and of the templates. Whoever changes one finds the pages here.
import { expect, it } from 'vitest';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { resourcesOf } from '../infra/fragments.ts';
import { pageOf } from './pages.ts';

const queues = resourcesOf('queues.yml');
const retentionDays = (queue: string) => Number(queues[queue]?.Properties['MessageRetentionPeriod']) / 86_400;

const { ledgerItemLifeDays, leaseMs, credentialsTtlMs } = defaultLimits;
const jobs = retentionDays('JobsQueue');
const results = retentionDays('ResultsQueue');
const dead = retentionDays('DeadLetterQueue');
const resultsDead = retentionDays('ResultsDeadLetterQueue');
const checks = retentionDays('ChecksQueue');

const stated: readonly [page: string, sentence: string][] = [
  ['runbook/README.md', `messages stay on their queues for ${jobs} days`],
  ['runbook/README.md', `ledger keeps every order for ${ledgerItemLifeDays}`],
  ['runbook/oldest-job.md', `the queue keeps them for ${jobs} days`],
  ['runbook/oldest-result.md', `Results wait for ${results} days`],
  ['runbook/function-errors.md', `when their lease is over, ${leaseMs / 1000} seconds later`],
  ['proof.md', `${ledgerItemLifeDays} days after an order's last write`],
  ['jobs-and-results.md', `forgotten it, ${ledgerItemLifeDays} days after`],
  ['jobs-and-results.md', `as long as the ledger keeps it, ${ledgerItemLifeDays} days after its last write`],
  ['settings.md', `Keep an old key for ${ledgerItemLifeDays} days`],
  ['procedures/rotate-keys.md', `keep the old one for ${ledgerItemLifeDays} days`],
  ['procedures/rotate-keys.md', `fetch the secret within ${credentialsTtlMs / 60_000 === 5 ? 'five' : '?'} minutes`],
  ['procedures/upgrade.md', `stays readable for ${ledgerItemLifeDays} days`],
  ['security.md', `| ${jobs} days at most |`],
  ['security.md', `| ${dead} days |`],
  ['security.md', `| ${results} and ${resultsDead} days |`],
  ['security.md', `| order keys | none | ${checks} day |`],
  ['security.md', `| ${ledgerItemLifeDays} days after its last write`],
  ['security.md', `on any queue: ${jobs + dead} days after`],
  ['security.md', `keep the old one for ${ledgerItemLifeDays} days`],
];

it.each(stated)('%s says "%s"', (page, sentence) => {
  expect(pageOf(`infra/docs/${page}`).text.replaceAll(/\s+/g, ' ')).toContain(sentence);
});
