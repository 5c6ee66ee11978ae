// The page on card and personal data has a row for every queue and table of the stack, with the days and the key of the template.
import { expect, it } from 'vitest';
import { defaultLimits, cardKeyLifeDays } from '../../lib/payout/limits.ts';
import { ofType, type Resource } from '../infra/packaged.ts';
import { recordOf } from '../support/stack.ts';
import { pageOf } from './pages.ts';

const queues = new Map(ofType('AWS::SQS::Queue', 'example'));
const tables = new Map(ofType('AWS::DynamoDB::Table', 'example'));
const days = (queue: string) => Number(queues.get(queue)?.['MessageRetentionPeriod']) / 86_400;
const [checks, unwritten] = ['ChecksQueue', 'ChecksDeadLetterQueue'].map(days);

/** Each queue and table: how its row begins, and how long it keeps. */
const places: Readonly<Record<string, readonly [begins: string, kept: string]>> = {
  JobsQueue: ['jobs queues', `${days('JobsQueue')} days at most`],
  BatchJobsQueue: ['jobs queues', `${days('BatchJobsQueue')} days at most`],
  DeadLetterQueue: ['dead-letter queue', `${days('DeadLetterQueue')} days`],
  ResultsQueue: ['results queues', `${days('ResultsQueue')} and ${days('ResultsDeadLetterQueue')} days`],
  ResultsDeadLetterQueue: ['results queues', `${days('ResultsQueue')} and ${days('ResultsDeadLetterQueue')} days`],
  ChecksQueue: ['own queue', `${checks} and ${unwritten} days`],
  ChecksDeadLetterQueue: ['own queue', `${checks} and ${unwritten} days`],
  OrderPaidDeadLetterQueue: ['events that were not taken', `${days('OrderPaidDeadLetterQueue')} days`],
  LedgerTable: ['ledger', 'without end; backup 35 days'],
  BatchesTable: ['table of batches', `${defaultLimits.batchItemLifeDays} days`],
  ControlsTable: ['table of controls', 'without end'],
  ReferencesQueue: ['queue of references', `${days('ReferencesQueue') * 1_440} minutes at most`],
  WaitingTable: ['table of what waits', 'until done, 14 days at most'],
  CardKeysTable: ['table of card keys', `${cardKeyLifeDays} days at most`],
};

it('names every queue and table of the stack', () => {
  expect(Object.keys(places).toSorted()).toEqual([...queues.keys(), ...tables.keys()].toSorted());
  const lines = pageOf('infra/docs/card-and-personal-data.md').text.split('\n');
  const missing = Object.values(places).filter(
    ([begins, kept]) => !lines.some((line) => line.startsWith(`| ${begins}`) && line.includes(kept)),
  );
  expect(missing).toEqual([]);
});

it("says that all of them are under the worker's key", () => {
  const keyOf = ({ KmsMasterKeyId, SSESpecification }: NonNullable<Resource['Properties']>) =>
    recordOf(SSESpecification)['KMSMasterKeyId'] ?? KmsMasterKeyId;
  const other = [...queues, ...tables].filter(
    ([, its]) => JSON.stringify(keyOf(its)) !== JSON.stringify({ 'Fn::GetAtt': ['WorkerKey', 'Arn'] }),
  );
  expect(other.map(([id]) => id)).toEqual([]);
  expect([...tables].filter(([, its]) => its['StreamSpecification'] !== undefined)).toEqual([]);
});
