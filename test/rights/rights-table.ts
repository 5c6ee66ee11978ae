// Role by asset by may, computed: what each role and each managed policy of the template lets its holder do with what is worth
// stealing. The page on security bears it, and test/docs compares the two.
import { packaged } from '../infra/packaged.ts';
import { ofType, recordOf, type Resource, type Stack, stackOf } from '../support/stack.ts';
import { type Call, mayCall } from './policy-evaluator.ts';

/** What is worth stealing: the calls by which it is read or changed, by the word that the page says. */
const assets: Readonly<Record<string, Readonly<Record<string, Call>>>> = {
  orders: {
    read: item('GetItem', 'LedgerTable', 'acme-eu/INV-1'),
    scan: { action: 'dynamodb:Scan', resource: '${LedgerTable.Arn}' },
    'put over': item('PutItem', 'LedgerTable', 'acme-eu/INV-1', ['pk', 'content', 'attempts']),
    change: item('UpdateItem', 'LedgerTable', 'acme-eu/INV-1', ['pk', 'attempts']),
    'set due time': item('UpdateItem', 'LedgerTable', 'acme-eu/INV-1', ['pk', 'dueAt', 'openWorkAt']),
    delete: item('DeleteItem', 'LedgerTable', 'acme-eu/INV-1'),
  },
  batches: {
    read: item('GetItem', 'BatchesTable', '~bulk/nov'),
    register: item('PutItem', 'BatchesTable', '~bulk/nov'),
    'set state': item('UpdateItem', 'BatchesTable', '~bulk/nov', ['pk', 'batchState']),
  },
  safeguards: {
    read: item('GetItem', 'BatchesTable', '~safeguards/acme-eu'),
    write: item('UpdateItem', 'BatchesTable', '~safeguards/acme-eu', ['pk', 'record', 'mac']),
  },
  'MAC of an approval': {
    make: { action: 'kms:GenerateMac', resource: '${ApprovalKey.Arn}' },
    check: { action: 'kms:VerifyMac', resource: '${ApprovalKey.Arn}' },
  },
  pauses: {
    read: item('GetItem', 'ControlsTable', '~control/acme-eu'),
    write: item('UpdateItem', 'ControlsTable', '~control/acme-eu', ['pk', 'paused']),
  },
  'parked jobs': {
    read: item('Query', 'WaitingTable', 'acme-eu/INV-1'),
    count: { action: 'dynamodb:Query', resource: '${WaitingTable.Arn}/index/line' },
    decrypt: { action: 'kms:Decrypt', resource: '${WaitingKey.Arn}' },
    put: item('PutItem', 'WaitingTable', 'acme-eu/INV-1'),
    reschedule: item('UpdateItem', 'WaitingTable', 'acme-eu/INV-1', ['pk', 'sk', 'line', 'goAt', 'reason']),
    remove: item('DeleteItem', 'WaitingTable', 'acme-eu/INV-1'),
  },
  lanes: {
    read: item('GetItem', 'ControlsTable', '~lane/acme-eu/1144'),
    write: item('PutItem', 'ControlsTable', '~lane/acme-eu/1144'),
  },
  'CVV keys': {
    read: item('GetItem', 'CardKeysTable', 'acme-eu/INV-1'),
    take: { ...item('DeleteItem', 'CardKeysTable', 'acme-eu/INV-1'), returnValues: 'ALL_OLD' },
    put: item('PutItem', 'CardKeysTable', 'acme-eu/INV-1'),
    destroy: { ...item('DeleteItem', 'CardKeysTable', 'acme-eu/INV-1'), returnValues: 'NONE' },
  },
  "merchants' contracts": {
    read: secret('GetSecretValue', 'contract/acme-eu'),
    write: secret('PutSecretValue', 'contract/acme-eu'),
  },
  "merchants' keys": {
    read: secret('GetSecretValue', 'keys/acme-eu'),
    write: secret('PutSecretValue', 'keys/acme-eu'),
  },
  'fingerprint keys': { read: secret('GetSecretValue', '_worker'), write: secret('PutSecretValue', '_worker') },
  'card keys': { read: secret('GetSecretValue', '_card'), write: secret('PutSecretValue', '_card') },
  'control keys': { read: secret('GetSecretValue', '_callback'), write: secret('PutSecretValue', '_callback') },
  jobs: queue('JobsQueue'),
  rows: queue('BatchJobsQueue'),
  checks: queue('ChecksQueue'),
  'callback function': {
    invoke: { action: 'lambda:InvokeFunction', resource: '${CallbackLambdaFunction.Arn}' },
  },
  references: queue('ReferencesQueue'),
  results: queue('ResultsQueue'),
  'dead letters': queue('DeadLetterQueue'),
};

function item(action: string, table: string, pk: string, attributes: readonly string[] = ['pk']): Call {
  return { action: `dynamodb:${action}`, resource: `\${${table}.Arn}`, keys: [pk], attributes };
}

function secret(action: string, name: string): Call {
  const all = 'arn:${AWS::Partition}:secretsmanager:${AWS::Region}:${AWS::AccountId}:secret:payouts/prod/';
  return { action: `secretsmanager:${action}`, resource: `${all}${name}-AbCdEf` };
}

function queue(name: string): Readonly<Record<string, Call>> {
  const resource = `\${${name}.Arn}`;
  return {
    put: { action: 'sqs:SendMessage', resource },
    read: { action: 'sqs:ReceiveMessage', resource },
    take: { action: 'sqs:DeleteMessage', resource },
    empty: { action: 'sqs:PurgeQueue', resource },
  };
}

/** Every role, and every managed policy as a role that has it alone. */
function holders(stack: Stack): Stack {
  const policies = ofType(stack, 'AWS::IAM::ManagedPolicy').map(({ logicalId, properties }) => {
    const named = logicalId.replace(/Policy$/, 'Role');
    const own = { Policies: [{ PolicyDocument: recordOf(properties)['PolicyDocument'] }] };
    return [named, { logicalId: named, type: 'AWS::IAM::Role', properties: own }] satisfies [string, Resource];
  });
  return new Map<string, Resource>([...stack, ...policies]);
}

/** The rows of the table: the role or policy, and what its holder may, by asset. */
export function rightsRows(): readonly (readonly string[])[] {
  const stack = stackOf(packaged('prod').template);
  const all = holders(stack);
  const of = (type: string) => ofType(stack, type).map(({ logicalId }) => logicalId);
  return [...of('AWS::IAM::Role'), ...of('AWS::IAM::ManagedPolicy')].map((logicalId) => {
    const caller = logicalId.replace(/(Role|Policy)$/, '');
    const may = Object.entries(assets).flatMap(([asset, calls]) => {
      const verbs = Object.entries(calls).flatMap(([verb, call]) => (mayCall(all, caller, call) ? [verb] : []));
      return verbs.length > 0 ? [`${asset}: ${verbs.join(', ')}`] : [];
    });
    return [`\`${logicalId}\``, may.join('; ') || 'nothing of these'];
  });
}
