// Where data lies is said of every queue and table of the stack, on the page for assessors and on that for data protection, with the
// days that the templates have.
import { expect, it } from 'vitest';
import { defaultLimits, cardKeyLifeDays } from '../../lib/payout/limits.ts';
import { ofType } from '../infra/packaged.ts';
import { pageOf } from './pages.ts';

const queues = new Map(ofType('AWS::SQS::Queue', 'example'));
const tables = ofType('AWS::DynamoDB::Table').map(([id]) => id);
const days = (queue: string) => Number(queues.get(queue)?.['MessageRetentionPeriod']) / 86_400;
const [checks, unwritten] = ['ChecksQueue', 'ChecksDeadLetterQueue'].map(days);

/** By page: each queue and table, how its row begins, and what stands in it. */
const places: Readonly<Record<string, Readonly<Record<string, readonly [begins: string, says: string]>>>> = {
  'personal-data.md': {
    JobsQueue: ['jobs queues', `${days('JobsQueue')} days at most`],
    BatchJobsQueue: ['jobs queues', `${days('BatchJobsQueue')} days at most`],
    DeadLetterQueue: ['dead-letter queue', `${days('DeadLetterQueue')} days`],
    ResultsQueue: ['results queues', `${days('ResultsQueue')} and ${days('ResultsDeadLetterQueue')} days`],
    ResultsDeadLetterQueue: ['results queues', `${days('ResultsQueue')} and ${days('ResultsDeadLetterQueue')} days`],
    ChecksQueue: ['own queue', `${checks} and ${unwritten} days`],
    ChecksDeadLetterQueue: ['own queue', `${checks} and ${unwritten} days`],
    OrderPaidDeadLetterQueue: ['events that were not taken', `${days('OrderPaidDeadLetterQueue')} days`],
    LedgerTable: ['ledger', 'without end'],
    BatchesTable: ['table of batches', `${defaultLimits.batchItemLifeDays} days`],
    ControlsTable: ['table of controls', 'without end'],
    ReferencesQueue: ['queue of references', `${days('ReferencesQueue') * 1_440} minutes at most`],
    WaitingTable: ['table of what waits', 'until done, 14 days at most'],
    CardKeysTable: ['table of card keys', `${cardKeyLifeDays} days at most`],
  },
  'security.md': {
    JobsQueue: ['queues of jobs', `${days('JobsQueue')} days at most`],
    BatchJobsQueue: ['queues of jobs', `${days('BatchJobsQueue')} days at most`],
    DeadLetterQueue: ['dead-letter queue', `${days('DeadLetterQueue')} days`],
    ResultsQueue: ['results queue', `${days('ResultsQueue')} and ${days('ResultsDeadLetterQueue')} days`],
    ResultsDeadLetterQueue: ['results queue', `${days('ResultsQueue')} and ${days('ResultsDeadLetterQueue')} days`],
    ChecksQueue: ['checks queue', `${checks} days at most`],
    ChecksDeadLetterQueue: ['dead letters of the checks queue', `${unwritten} days`],
    OrderPaidDeadLetterQueue: ['events of paid orders', `${days('OrderPaidDeadLetterQueue')} days`],
    LedgerTable: ['ledger', 'without end'],
    BatchesTable: ['table of batches', `${defaultLimits.batchItemLifeDays} days`],
    ControlsTable: ['table of controls', 'without end'],
    ReferencesQueue: ['queue of references', `${days('ReferencesQueue') * 1_440} minutes at most`],
    WaitingTable: ['table of what waits', 'until done, 14 days at most'],
    CardKeysTable: ['table of card keys', `${cardKeyLifeDays} days at most`],
  },
};

it.each(Object.entries(places))('%s names every queue and table of the stack', (page, rows) => {
  expect(Object.keys(rows).toSorted()).toEqual([...queues.keys(), ...tables].toSorted());
  const lines = pageOf(`infra/docs/${page}`).text.split('\n');
  const missing = Object.values(rows).filter(
    ([begins, says]) => !lines.some((line) => line.startsWith(`| ${begins}`) && line.includes(says)),
  );
  expect(missing).toEqual([]);
});
