// The attributes of orders and who owns them: what the policies of the template let anybody write of an order is what the table says,
// attribute by attribute, over every role and policy that the template has.
import { describe, expect, it } from 'vitest';
import { attributeOwners, type OrderWriter } from '../../lib/aws/attribute-owners.ts';
import { attributesOf } from '../../lib/aws/order-item.ts';
import { packaged } from '../infra/packaged.ts';
import { anOrder } from '../support/orders.ts';
import { ofType, recordOf, type Resource, type Stack, stackOf } from '../support/stack.ts';
import { mayCall } from './policy-evaluator.ts';

const stack = stackOf(packaged('prod').template);

/** The writers of orders, by role or policy; no other may write one. */
const writers: Readonly<Record<string, OrderWriter>> = {
  SubmitRole: 'submit',
  InquireRole: 'inquire',
  SweepRole: 'sweep',
  CallbackRole: 'callback',
  DeciderPolicy: 'person',
  RecoveryPolicy: 'person',
};

/** Every role, and every managed policy as a role that has it alone. */
const policies = ofType(stack, 'AWS::IAM::ManagedPolicy').map(({ logicalId, properties }): [string, Resource] => {
  const own = { Policies: [{ PolicyDocument: recordOf(properties)['PolicyDocument'] }] };
  return [`${logicalId}Role`, { logicalId: `${logicalId}Role`, type: 'AWS::IAM::Role', properties: own }];
});
const holders: Stack = new Map([...stack, ...policies]);
const callers: readonly (readonly [name: string, caller: string])[] = [
  ...ofType(stack, 'AWS::IAM::Role').map(({ logicalId }) => [logicalId, logicalId.replace(/Role$/, '')] as const),
  ...ofType(stack, 'AWS::IAM::ManagedPolicy').map(({ logicalId }) => [logicalId, logicalId] as const),
];

/** The attributes that this writer may name. */
const ownedBy = (writer: OrderWriter): readonly string[] =>
  Object.entries<readonly OrderWriter[]>(attributeOwners).flatMap(([name, of]) => (of.includes(writer) ? [name] : []));

const all = Object.keys(attributesOf(anOrder()));
const writes = (caller: string, action: string, attributes: readonly string[]) =>
  mayCall(holders, caller, {
    action: `dynamodb:${action}`,
    resource: '${LedgerTable.Arn}',
    keys: ['acme-eu/INV-1'],
    attributes,
  });

describe('of an order', () => {
  it.each(callers)('%s writes the attributes that it owns, and no others', (name, caller) => {
    const writer = writers[name];
    const may = [...all, 'expiresAt', 'somethingNew'].filter((it) => writes(caller, 'UpdateItem', ['pk', it]));
    expect(may.toSorted()).toEqual(writer ? ownedBy(writer).toSorted() : []);
  });

  it('its whole item is put over another by no role', () => {
    expect(callers.filter(([, caller]) => writes(caller, 'PutItem', ['pk']))).toEqual([]);
  });

  it('a version, a revision and a fact are out of reach for the sweeper', () => {
    for (const name of [
      'version',
      'revision',
      'digest',
      'content',
      'attempts',
      'decisions',
      'ends',
      'unknown',
      'surprises',
      'dropped',
    ])
      expect(ownedBy('sweep')).not.toContain(name);
  });

  it('a decision is a person’s', () => {
    expect(
      callers.filter(([, caller]) => writes(caller, 'UpdateItem', ['pk', 'decisions'])).map(([name]) => name),
    ).toEqual(['DeciderPolicy', 'RecoveryPolicy']);
  });
});
