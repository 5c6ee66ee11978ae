// What each role could still do in a thief's hands, by the policies of the template: the calls of which one would pay twice,
// forget an order, approve a batch or copy a key, tried with every role. Single attributes of orders: attribute-owners.test.ts.
import { describe, expect, it } from 'vitest';
import { packaged } from '../infra/packaged.ts';
import { ofType, stackOf } from '../support/stack.ts';
import { statementsOfRole } from './policy.ts';
import { accessOf, type Call, isLike, mayCall } from './policy-evaluator.ts';

const stack = stackOf(packaged('prod').template);
/** All that the template has. */
const roles = ofType(stack, 'AWS::IAM::Role').map(({ logicalId }) => logicalId.replace(/Role$/, ''));

const who = (call: Call) => roles.filter((role) => mayCall(stack, role, call));

const ledger = '${LedgerTable.Arn}';
/** The same call on another table. */
const on = (table: 'BatchesTable' | 'ControlsTable', call: Call): Call => ({ ...call, resource: `\${${table}.Arn}` });
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
const waiting = (operation: string): Call => ({
  action: `dynamodb:${operation}`,
  resource: '${WaitingTable.Arn}',
  ...accessOf({ Key: { pk: { S: 'acme-eu/INV-1' }, sk: { S: 'd' } } }),
});
const onLines = (operation: string): Call => ({
  action: `dynamodb:${operation}`,
  resource: '${WaitingTable.Arn}/index/line',
  ...accessOf({
    KeyConditionExpression: 'line = :line',
    ExpressionAttributeValues: { ':line': { S: 'acme-eu/1144|row|0' } },
  }),
});
const approval = 'SET v = :v, approvalMac = :k, approvalEnds = :e';
const registered = 'SET registeredBy = :b, rowCount = :n';
const state = { '#s': 'batchState' };
const names = { ProjectionExpression: 'pk, ji' };
const secret = (name: string): Call => ({
  action: 'secretsmanager:GetSecretValue',
  resource: `arn:\${AWS::Partition}:secretsmanager:\${AWS::Region}:\${AWS::AccountId}:secret:payouts/prod/${name}-AbCdEf`,
});

const invoke: Call = { action: 'lambda:InvokeFunction', resource: '${CallbackLambdaFunction.Arn}' };

describe('a stolen role', () => {
  it.each<[what: string, call: Call, may: readonly string[]]>([
    ['lays an empty item over an order', put('acme-eu/INV-1'), []],
    ['puts an order', put('acme-eu/NEW-1', { attempts: { S: '[]' } }), []],
    ['begins an order that expires', update('acme-eu/NEW-1', 'SET #a = :a', { '#a': 'expiresAt' }), []],
    ['begins an order with a decision', update('acme-eu/NEW-1', 'SET #a = :a', { '#a': 'decisions' }), []],
    [
      'writes a fact of an order',
      update('acme-eu/INV-1', 'SET #attempts = :a', { '#attempts': 'attempts' }),
      ['Submit', 'Inquire', 'Callback'],
    ],
    ['invokes the function of callbacks', invoke, ['Door']],
    ['approves a batch', on('BatchesTable', update('~bulk/evil', approval)), []],
    ['writes an approval into the ledger', update('~bulk/evil', approval), []],
    ['changes what was registered of a batch', on('BatchesTable', update('~bulk/nov', registered)), []],
    ['says the state of a batch', on('BatchesTable', update('~bulk/nov', 'SET #s = :s', state)), ['Sweep']],
    ['says in the ledger the state of a batch', update('~bulk/nov', 'SET #s = :s', state), []],
    [
      'writes what a merchant may pay',
      on('BatchesTable', update('~safeguards/acme-eu', 'SET #r = :r', { '#r': 'record' })),
      [],
    ],
    ['puts a record in its place', on('BatchesTable', put('~safeguards/acme-eu')), []],
    [
      'says that its change was told',
      on('BatchesTable', update('~safeguards/acme-eu', 'REMOVE openWork, openWorkAt')),
      ['Sweep'],
    ],
    [
      'reads what a merchant may pay',
      on('BatchesTable', get('~safeguards/acme-eu')),
      ['Submit', 'Inquire', 'Callback'],
    ],
    ['puts a batch in the place of another', on('BatchesTable', put('~bulk/nov', { v: { N: '1' } })), []],
    ['puts one in the ledger', put('~bulk/nov', { v: { N: '1' } }), []],
    ['says that no batch took a file', on('BatchesTable', update('~file/ab', 'REMOVE takenBy')), []],
    ['ends a pause', on('ControlsTable', update('~control/acme-eu', 'SET paused = :no')), []],
    ['writes a control into the ledger', update('~control/acme-eu', 'SET paused = :no'), []],
    ['puts a control in the place of a pause', on('ControlsTable', put('~control/acme-eu')), []],
    [
      'says what is in doubt',
      on('ControlsTable', update('~control/acme-eu', 'SET doubt = :d, doubtAt = :n')),
      ['Sweep'],
    ],
    ['calls a batch off, or on again', on('ControlsTable', update('~batch/nov', 'SET cancelled = :no')), []],
    ['forgets what was spent today', on('ControlsTable', put('~day/acme-eu/EUR/2026-11-22')), []],
    ['counts a day wrongly', on('ControlsTable', update('~day/acme-eu/EUR/2026-11-22', 'SET total = :n')), ['Submit']],
    ['opens a lane or closes one', on('ControlsTable', put('~lane/acme-eu/1144')), ['Submit', 'Inquire', 'Sweep']],
    ['writes of lanes, days or controls into the ledger', put('~lane/acme-eu/1144'), []],
    // The sweeper begins no line of a merchant who is paused.
    ['reads a pause', on('ControlsTable', get('~control/acme-eu')), ['Submit', 'Sweep']],
    ['reads every control', { action: 'dynamodb:Scan', resource: '${ControlsTable.Arn}' }, []],
    [
      'deletes a control',
      on('ControlsTable', { action: 'dynamodb:DeleteItem', resource: '', keys: ['~control/*'] }),
      [],
    ],
    ['says of a table that it is another’s', update('~ledger', 'SET ledger = :t'), ['Sweep']],
    ['reads a batch’s approval', on('BatchesTable', get('~bulk/nov')), ['Submit', 'Sweep']],
    ['reads which files were sent', on('BatchesTable', get('~file/ab')), []],
    ['reads orders', get('acme-eu/INV-1'), ['Submit', 'Inquire', 'Sweep', 'Callback']],
    ['deletes an order', { action: 'dynamodb:DeleteItem', resource: ledger, keys: ['acme-eu/INV-1'] }, []],
    ['reads them all', { action: 'dynamodb:Scan', resource: ledger }, []],
    ['takes the key of a CVV', onCardKeys('DeleteItem', { ReturnValues: 'ALL_OLD' }), ['Submit']],
    ['reads the key of a CVV', onCardKeys('GetItem', { ProjectionExpression: 'pk, jk' }), []],
    ['lists keys of CVVs', onCardKeys('Scan', { ProjectionExpression: 'jk', Select: 'SPECIFIC_ATTRIBUTES' }), []],
    ['lists whole items of card keys', onCardKeys('Scan', { Key: undefined }), []],
    [
      'lists which orders have the key of a CVV',
      onCardKeys('Scan', { ...names, Select: 'SPECIFIC_ATTRIBUTES' }),
      ['Sweep'],
    ],
    ['asks whether an order has the key of a CVV', onCardKeys('GetItem', names), []],
    ['destroys the key of a CVV unseen', onCardKeys('DeleteItem', { ReturnValues: 'NONE' }), ['Submit', 'Sweep']],
    ['puts a key of its own there', onCardKeys('PutItem', { Item: { pk: { S: 'acme-eu/TRF-1' } } }), []],
    ['approves by the key itself', { action: 'kms:GenerateMac', resource: '${ApprovalKey.Arn}' }, []],
    ['reads a merchant’s contract', secret('contract/acme-eu'), ['Submit', 'Inquire', 'Callback']],
    ['reads a merchant’s PEM', secret('keys/acme-eu'), ['Submit', 'Inquire', 'Callback']],
    ['reads the keys of fingerprints', secret('_worker'), ['Submit']],
    ['reads the keys of cards', secret('_card'), ['Submit']],
    ['reads the control keys of callbacks', secret('_callback'), ['Callback']],
    ['has a waiting job go before its turn, or never', waiting('UpdateItem'), ['Submit', 'Inquire', 'Sweep']],
    ['puts a job among those that wait', waiting('PutItem'), ['Submit']],
    ['takes a job away that waits', waiting('DeleteItem'), ['Submit']],
    ['reads the waiting jobs of an order, their bodies sealed', waiting('Query'), ['Submit', 'Inquire']],
    ['reads them all, bodies too', { action: 'dynamodb:Scan', resource: '${WaitingTable.Arn}' }, []],
    ['looks along a line', onLines('Query'), ['Sweep']],
    ['looks along every line, without bodies', onLines('Scan'), ['Sweep']],
    ['opens the body of a waiting job', { action: 'kms:Decrypt', resource: '${WaitingKey.Arn}' }, ['Submit']],
    ['makes a key that seals one', { action: 'kms:GenerateDataKey', resource: '${WaitingKey.Arn}' }, ['Submit']],
    ['releases a waiting job', { action: 'sqs:SendMessage', resource: '${ReferencesQueue.Arn}' }, ['Sweep']],
    ['puts a job on the queue', { action: 'sqs:SendMessage', resource: '${JobsQueue.Arn}' }, []],
    ['tells a result', { action: 'sqs:SendMessage', resource: '${ResultsQueue.Arn}' }, ['Submit', 'Inquire', 'Sweep']],
  ])('%s', (_, call, may) => {
    expect(who(call)).toEqual(may);
  });

  it('of the public door invokes the function of callbacks, writes its own log, and does nothing else', () => {
    const door = stack.get('DoorRole');
    const allowed = (door ? statementsOfRole(stack, door) : []).filter(({ allows }) => allows);
    expect(allowed.flatMap(({ actions, resources }) => actions.map((it) => [it, resources]))).toEqual([
      ['logs:CreateLogStream', ['${DoorLogGroup.Arn}']],
      ['logs:PutLogEvents', ['${DoorLogGroup.Arn}']],
      ['lambda:InvokeFunction', ['${CallbackLambdaFunction.Arn}']],
    ]);
  });

  it('of the function of callbacks writes facts of orders, and neither pays, sends, decides nor reads what else is secret', () => {
    const tried: Call[] = [
      ...['SET de = :d', 'SET lo = :n', 'SET expiresAt = :n']
        .map((it) => update('acme-eu/INV-1', it))
        .concat(
          put('acme-eu/INV-1'),
          put('acme-eu/NEW-1', { attempts: { S: '[]' } }),
          update('~ledger', 'SET dueAt = :n'),
        ),
      ...['Query', 'BatchGetItem', 'Scan', 'DeleteItem'].map((it) => ({
        action: `dynamodb:${it}`,
        resource: ledger,
        keys: ['acme-eu/INV-1'],
      })),
      ...['BatchesTable', 'ControlsTable', 'CardKeysTable', 'WaitingTable'].flatMap((table) =>
        ['GetItem', 'PutItem', 'UpdateItem', 'Query', 'BatchGetItem', 'Scan', 'DeleteItem'].map((it) => ({
          action: `dynamodb:${it}`,
          resource: `\${${table}.Arn}`,
          keys: ['acme-eu/INV-1'],
        })),
      ),
      ...['JobsQueue', 'BatchJobsQueue', 'DeadLetterQueue', 'ResultsQueue', 'ChecksQueue', 'ReferencesQueue'].map(
        (it) => ({
          action: 'sqs:SendMessage',
          resource: `\${${it}.Arn}`,
        }),
      ),
      invoke,
      { action: 'kms:Sign', resource: '*' },
      { action: 'kms:Decrypt', resource: '${WaitingKey.Arn}' },
      ...['_worker', '_card'].map(secret),
    ];
    expect(tried.filter((call) => mayCall(stack, 'Callback', call))).toEqual([]);
  });
});

it('the evaluator reads keys and names out of a request, and patterns as IAM does', () => {
  const request = {
    Key: { pk: { S: '~bulk/nov' } },
    UpdateExpression: 'SET #s = :s, openWorkAt = if_not_exists(openWorkAt, :n) REMOVE jk ADD tries :one',
    ConditionExpression: 'attribute_not_exists(st) AND (size(su) < :n OR #v <= :v)',
    ExpressionAttributeNames: { '#s': 'batchState', '#v': 'v' },
  };
  expect(accessOf(request)).toEqual({
    keys: ['~bulk/nov'],
    attributes: ['pk', 'batchState', 'openWorkAt', 'jk', 'tries', 'st', 'su', 'v'],
  });
  expect([isLike('~bulk/nov', '~*'), isLike('acme/~1', '~*'), isLike('x-AbCdEf', 'x-??????')]).toEqual([
    true,
    false,
    true,
  ]);
});
