// What each role could still do in a thief's hands, by the policies of the template: the calls of which one would pay twice,
// forget an order, approve a batch or copy a key, tried with every role.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readStack, type Stack } from '../../lib/doctor/stack.ts';
import { synthesized } from '../infra/synthesized.ts';
import { accessOf, type Call, isLike, mayCall } from './policy-evaluator.ts';

const packaged = await synthesized(['--stage', 'prod']);
const read = packaged ? readStack(await readFile(packaged.templateFile, 'utf8')) : undefined;
const stack: Stack = read?.kind === 'stack' ? read.stack : new Map();
const roles = ['Submit', 'Inquire', 'Sweep', 'Callback'];

const who = (call: Call) => roles.filter((role) => mayCall(stack, role, call));

const ledger = '${LedgerTable.Arn}';
const update = (pk: string, UpdateExpression: string, ExpressionAttributeNames = {}): Call => ({
  action: 'dynamodb:UpdateItem',
  resource: ledger,
  ...accessOf({ Key: { pk: { S: pk } }, UpdateExpression, ExpressionAttributeNames }),
});
const put = (pk: string, more: object = {}): Call => ({
  action: 'dynamodb:PutItem',
  resource: ledger,
  ...accessOf({ Item: { pk: { S: pk }, ...more } }),
});
const get = (pk: string): Call => ({
  action: 'dynamodb:GetItem',
  resource: ledger,
  ...accessOf({ Key: { pk: { S: pk } } }),
});
const onCardKeys = (operation: string, body: object): Call => ({
  action: `dynamodb:${operation}`,
  resource: '${CardKeysTable.Arn}',
  ...accessOf({ Key: { pk: { S: 'acme-eu/TRF-1' } }, ...body }),
});
const names = { ProjectionExpression: 'pk, ji' };
const secret = (name: string): Call => ({
  action: 'secretsmanager:GetSecretValue',
  resource: `arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:payouts/prod/${name}-AbCdEf`,
});

describe.skipIf(!packaged)('a stolen role', () => {
  it.each<[what: string, call: Call, may: readonly string[]]>([
    ['claims an order, which is the only way to a POST', put('acme-eu/INV-1', { st: { S: 'submitting' } }), ['Submit']],
    ['makes an order out of nothing by an update', update('acme-eu/NEW-1', 'SET st = :s'), ['Submit', 'Inquire']],
    ['makes a paid order sendable', update('acme-eu/INV-1', 'SET st = :s'), ['Submit', 'Inquire']],
    ['lets an order expire', update('acme-eu/INV-1', 'SET expiresAt = :t'), ['Submit', 'Inquire']],
    ['says that an order was looked at', update('acme-eu/INV-1', 'SET lo = :l'), ['Submit', 'Inquire', 'Sweep']],
    ['approves a batch', update('~bulk/evil', 'SET v = :v, approvalMac = :k, approvalEnds = :e'), []],
    ['changes what was registered of a batch', update('~bulk/nov', 'SET registeredBy = :b, rowCount = :n'), []],
    ['says how a batch stands', update('~bulk/nov', 'SET #s = :s', { '#s': 'batchState' }), ['Sweep']],
    ['puts a batch in the place of another', put('~bulk/nov', { v: { N: '1' } }), []],
    ['ends a pause', update('~control/acme-eu', 'SET paused = :no'), []],
    ['calls a batch off, or on again', update('~batch/nov', 'SET cancelled = :no'), []],
    ['forgets what was spent today', put('~day/acme-eu/EUR/2026-11-22'), []],
    ['says of a table that it is another’s', update('~ledger', 'SET ledger = :t'), ['Sweep']],
    ['reads a batch’s approval', get('~bulk/nov'), ['Submit', 'Sweep']],
    ['reads orders', get('acme-eu/INV-1'), ['Submit', 'Inquire', 'Sweep']],
    ['deletes an order', { action: 'dynamodb:DeleteItem', resource: ledger, keys: ['acme-eu/INV-1'] }, []],
    ['reads them all', { action: 'dynamodb:Scan', resource: ledger }, []],
    ['takes the key of a CVV', onCardKeys('DeleteItem', { ReturnValues: 'ALL_OLD' }), ['Submit']],
    ['reads the key of a CVV', onCardKeys('GetItem', { ProjectionExpression: 'pk, jk' }), ['Submit']],
    ['lists keys of CVVs', onCardKeys('Scan', { ProjectionExpression: 'jk', Select: 'SPECIFIC_ATTRIBUTES' }), []],
    ['lists whole items of card keys', onCardKeys('Scan', { Key: undefined }), []],
    [
      'lists which orders have the key of a CVV',
      onCardKeys('Scan', { ...names, Select: 'SPECIFIC_ATTRIBUTES' }),
      ['Sweep'],
    ],
    ['asks whether an order has the key of a CVV', onCardKeys('GetItem', names), ['Submit']],
    ['destroys the key of a CVV unseen', onCardKeys('DeleteItem', { ReturnValues: 'NONE' }), ['Submit', 'Sweep']],
    ['puts a key of its own there', onCardKeys('PutItem', { Item: { pk: { S: 'acme-eu/TRF-1' } } }), []],
    ['approves by the key itself', { action: 'kms:GenerateMac', resource: '${ApprovalKey.Arn}' }, []],
    ['reads a merchant’s PEM', secret('acme-eu'), ['Submit', 'Inquire']],
    ['reads the keys of fingerprints', secret('_worker'), ['Submit']],
    ['reads the keys of cards', secret('_card'), ['Submit']],
    ['reads the control keys of callbacks', secret('_callback'), ['Submit', 'Callback']],
    ['puts a job on the queue', { action: 'sqs:SendMessage', resource: '${JobsQueue.Arn}' }, ['Submit']],
    ['tells a result', { action: 'sqs:SendMessage', resource: '${ResultsQueue.Arn}' }, ['Submit', 'Inquire', 'Sweep']],
  ])('%s', (_, call, may) => {
    expect(who(call)).toEqual(may);
  });

  it('of the public door can do two things: put a check on its queue, and read the control keys', () => {
    const tried: Call[] = [
      ...['GetItem', 'PutItem', 'UpdateItem', 'Query', 'BatchGetItem', 'Scan', 'DeleteItem'].map((it) => ({
        action: `dynamodb:${it}`,
        resource: ledger,
        keys: ['acme-eu/INV-1'],
      })),
      ...['JobsQueue', 'BatchJobsQueue', 'DeadLetterQueue', 'ResultsQueue'].map((it) => ({
        action: 'sqs:SendMessage',
        resource: `\${${it}.Arn}`,
      })),
      { action: 'kms:Sign', resource: '*' },
      { action: 'kms:VerifyMac', resource: '${ApprovalKey.Arn}' },
      ...['acme-eu', '_worker', '_card', '_callback-2', '_callbacks'].map(secret),
    ];
    expect(tried.filter((call) => mayCall(stack, 'Callback', call))).toEqual([]);
    expect(mayCall(stack, 'Callback', { action: 'sqs:SendMessage', resource: '${ChecksQueue.Arn}' })).toBe(true);
    expect(mayCall(stack, 'Callback', secret('_callback'))).toBe(true);
  });
});

it('the evaluator reads keys and names out of a request, and patterns as IAM does', () => {
  const request = {
    Key: { pk: { S: '~bulk/nov' } },
    UpdateExpression: 'SET #s = :s, wa = if_not_exists(wa, :n) REMOVE jk ADD tries :one',
    ConditionExpression: 'attribute_not_exists(st) AND (size(su) < :n OR #v <= :v)',
    ExpressionAttributeNames: { '#s': 'batchState', '#v': 'v' },
  };
  expect(accessOf(request)).toEqual({
    keys: ['~bulk/nov'],
    attributes: ['pk', 'batchState', 'wa', 'jk', 'tries', 'st', 'su', 'v'],
  });
  expect([isLike('~bulk/nov', '~*'), isLike('acme~check/1', '~*'), isLike('x-AbCdEf', 'x-??????')]).toEqual([
    true,
    false,
    true,
  ]);
});
