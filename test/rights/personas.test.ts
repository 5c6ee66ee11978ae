// What those may do who work with the queues, by the managed policies of the template: each its own calls, and none of the rest.
import { describe, expect, it } from 'vitest';
import { packaged } from '../infra/packaged.ts';
import { recordOf, type Stack, stackOf } from '../support/stack.ts';
import { type Call, mayCall } from './policy-evaluator.ts';

const stack = stackOf(packaged('prod').template);
const personas = ['Producer', 'CvvProducer', 'Consumer'] as const;

/** The stack with a role for each persona that has its policy and nothing else. */
const people: Stack = new Map(
  personas.map((it) => {
    const document = recordOf(stack.get(`${it}Policy`)?.properties)['PolicyDocument'];
    const properties = { Policies: [{ PolicyDocument: document }] };
    return [`${it}Role`, { logicalId: `${it}Role`, type: 'AWS::IAM::Role', properties }];
  }),
);
const who = (call: Call) => personas.filter((it) => mayCall(people, it, call));

const queue = (action: string, name: string): Call => ({ action: `sqs:${action}`, resource: `\${${name}.Arn}` });
const key = (action: string, via: string): Call => ({ action: `kms:${action}`, resource: '${WorkerKey.Arn}', via });
const table = (action: string, name: string): Call => ({
  action: `dynamodb:${action}`,
  resource: `\${${name}.Arn}`,
  keys: ['acme-eu/INV-1'],
});
const senders = ['Producer', 'CvvProducer'];

describe('by its managed policy', () => {
  it.each<[what: string, call: Call, may: readonly string[]]>([
    ['puts a job', queue('SendMessage', 'JobsQueue'), senders],
    ['puts a row of a batch', queue('SendMessage', 'BatchJobsQueue'), senders],
    ['encrypts what it puts', key('GenerateDataKey', 'sqs'), senders],
    ['decrypts by way of SQS, as SQS asks of senders too', key('Decrypt', 'sqs'), personas],
    ['lays down the key of a CVV', table('PutItem', 'CardKeysTable'), ['CvvProducer']],
    [
      'lays one down and says that nothing is to be told',
      { ...table('PutItem', 'CardKeysTable'), returnValues: 'NONE' },
      ['CvvProducer'],
    ],
    ['uses the key by way of DynamoDB', key('Decrypt', 'dynamodb'), ['CvvProducer']],
    ['takes a result', queue('ReceiveMessage', 'ResultsQueue'), ['Consumer']],
    ['deletes a result', queue('DeleteMessage', 'ResultsQueue'), ['Consumer']],
    ['gives a result back', queue('ChangeMessageVisibility', 'ResultsQueue'), ['Consumer']],
    ['counts results', queue('GetQueueAttributes', 'ResultsQueue'), ['Consumer']],
  ])('who %s', (_, call, may) => {
    expect(who(call)).toEqual(may);
  });

  it.each<[what: string, calls: readonly Call[]]>([
    ['reads jobs', ['JobsQueue', 'BatchJobsQueue'].map((it) => queue('ReceiveMessage', it))],
    [
      'deletes or empties anything but results',
      [queue('DeleteMessage', 'JobsQueue'), queue('PurgeQueue', 'ResultsQueue')],
    ],
    ['tells a result', [queue('SendMessage', 'ResultsQueue')]],
    [
      'asks for a check, or releases what waits',
      ['ChecksQueue', 'ReferencesQueue'].map((it) => queue('SendMessage', it)),
    ],
    ['handles dead letters', ['SendMessage', 'ReceiveMessage'].map((it) => queue(it, 'DeadLetterQueue'))],
    [
      'touches orders, batches, controls or what waits',
      ['LedgerTable', 'BatchesTable', 'ControlsTable', 'WaitingTable'].flatMap((name) =>
        ['GetItem', 'PutItem', 'UpdateItem', 'Query', 'Scan'].map((it) => table(it, name)),
      ),
    ],
    ['is told the key that stood there', [{ ...table('PutItem', 'CardKeysTable'), returnValues: 'ALL_OLD' }]],
    ['takes or lists keys of CVVs', ['GetItem', 'DeleteItem', 'Scan'].map((it) => table(it, 'CardKeysTable'))],
    ['opens what waits', [{ action: 'kms:Decrypt', resource: '${WaitingKey.Arn}' }]],
    ['approves', [{ action: 'kms:GenerateMac', resource: '${ApprovalKey.Arn}' }]],
    [
      'decrypts by itself, or by way of secrets',
      [{ action: 'kms:Decrypt', resource: '${WorkerKey.Arn}' }, key('Decrypt', 'secretsmanager')],
    ],
  ])('no one %s', (_, calls) => {
    expect(calls.flatMap(who)).toEqual([]);
  });
});
