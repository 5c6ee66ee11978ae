// Rules about who may do what: one role per function, nothing wider than it must be, one public door.
import { attachedTo, refusesPlainHttp, type Statement, statementsOf, statementsOfRole, textOf } from './policy.ts';
import { type Rule, unless } from './rule.ts';
import { listOf, ofType, recordOf, type Resource, type Stack, targetOf } from './stack.ts';
import type { WorkerStack } from './worker-stack.ts';

/** Actions for which AWS knows no narrower resource than all. */
const knowNoResource = /^(xray:|ec2:(\w+NetworkInterfaces?|\w+PrivateIpAddresses|DescribeSubnets)$)/i;
/** What nothing of the worker may ever do: with it, memory of what was paid can be taken away. */
const destructive =
  /^(dynamodb:(Delete\w+|BatchWriteItem|PartiQLDelete)|sqs:(PurgeQueue|DeleteQueue)|kms:(ScheduleKeyDeletion|Disable\w+)|secretsmanager:DeleteSecret)$/i;

function ofRoles(
  check: (statement: Statement, role: Resource, all: WorkerStack) => ReturnType<Rule['check']>,
): Rule['check'] {
  return (all) =>
    ofType(all.stack, 'AWS::IAM::Role').flatMap((role) =>
      statementsOfRole(all.stack, role)
        .filter(({ allows }) => allows)
        .flatMap((statement) => check(statement, role, all)),
    );
}

/** A whole service, or everything of one kind; a prefix of one's own, such as a path of secrets, is none. */
function isWildcard(resource: string): boolean {
  return (
    /(^|:)((table|key|alias|stream|rule|log-group)[/:])?\*$/.test(resource) && !/^\$\{\w+\.Arn\}:\*$/.test(resource)
  );
}

/** The policies on a queue or a secret. */
function policiesOn(stack: Stack, target: Resource): Statement[] {
  const kinds = [
    { type: 'AWS::SQS::QueuePolicy', names: 'Queues', document: 'PolicyDocument' },
    { type: 'AWS::SecretsManager::ResourcePolicy', names: 'SecretId', document: 'ResourcePolicy' },
  ];
  return kinds.flatMap(({ type, names, document }) =>
    ofType(stack, type)
      .filter(({ properties }) => listOf(properties[names]).some((it) => targetOf(stack, it) === target))
      .flatMap(({ logicalId, properties }) => statementsOf(properties[document], logicalId)),
  );
}

const queuesAndSecrets = (stack: Stack) => [
  ...ofType(stack, 'AWS::SQS::Queue'),
  ...ofType(stack, 'AWS::SecretsManager::Secret'),
];

/** The rules; each is a row. */
export const accessRules: readonly Rule[] = [
  {
    name: 'one-role-per-function',
    danger: 'the function that strangers reach may do what the one that pays may do',
    check: ({ stack }) => {
      const owners = new Map<string, string>();
      return ofType(stack, 'AWS::Lambda::Function').flatMap(({ logicalId, properties }) => {
        const role = textOf(properties['Role']);
        const other = owners.get(role);
        owners.set(role, logicalId);
        return unless(other === undefined, `${logicalId}.Role`, `is also that of ${other}`);
      });
    },
  },
  {
    name: 'no-wildcard-action',
    danger: 'it allows whatever AWS adds next, deleting included',
    check: ofRoles(({ where, actions }) =>
      actions.flatMap((action) => unless(!action.includes('*'), where, `allows ${action}`)),
    ),
  },
  {
    name: 'no-wildcard-resource',
    danger: 'it reaches the queues, tables and keys of every other team in the account',
    check: ofRoles(({ where, actions, resources }) =>
      actions.every((action) => knowNoResource.test(action))
        ? []
        : resources.flatMap((resource) => unless(!isWildcard(resource), where, `allows ${actions[0]} on ${resource}`)),
    ),
  },
  {
    name: 'no-managed-policy',
    danger: 'AWS widens it without asking, and it was never as narrow as this worker',
    check: ({ stack }) =>
      ofType(stack, 'AWS::IAM::Role').flatMap((role) =>
        attachedTo(role)
          // The stack's own are as narrow as it is.
          .filter((it) => stack.get(it)?.type !== 'AWS::IAM::ManagedPolicy')
          .flatMap((it) => unless(false, `${role.logicalId}.ManagedPolicyArns`, `has ${it}`)),
      ),
  },
  {
    name: 'nothing-is-deleted',
    danger: 'an order that the ledger no longer knows is paid again by the next copy of its message',
    // Card keys are there to be deleted: by whoever takes one, and by the sweeper.
    check: ofRoles(({ where, actions, resources }, _role, { cardKeys }) => {
      const ofCardKeys = resources.every((it) => cardKeys !== undefined && it === `\${${cardKeys.logicalId}.Arn}`);
      return actions.flatMap((action) =>
        unless(
          !destructive.test(action) || (action.toLowerCase() === 'dynamodb:deleteitem' && ofCardKeys),
          where,
          `allows ${action}`,
        ),
      );
    }),
  },
  {
    name: 'only-submit-claims',
    danger: 'the claim is the only way to a POST: a second function that can claim is a second way to pay',
    check: ofRoles(({ where, actions, resources, conditions }, role, { stack, submit, ledger }) => {
      const own = submit && targetOf(stack, submit.properties['Role']);
      const onLedger = ledger !== undefined && resources.some((it) => it.includes(`{${ledger.logicalId}.`));
      // Keys of orders never begin with "~", so an item that must begin with it is beside them.
      const keys = listOf(recordOf(conditions['ForAllValues:StringLike'])['dynamodb:LeadingKeys']);
      const isBeside = keys.length > 0 && keys.every((it) => String(it).startsWith('~'));
      const claims = actions.some((it) => it.toLowerCase() === 'dynamodb:putitem') && onLedger && !isBeside;
      return unless(!claims || role === own, where, 'allows dynamodb:PutItem on the ledger');
    }),
  },
  {
    name: 'roles-for-services',
    danger: 'somebody else can put on the role and pay',
    check: ({ stack }) =>
      ofType(stack, 'AWS::IAM::Role').flatMap(({ logicalId, properties }) =>
        statementsOf(properties['AssumeRolePolicyDocument'], logicalId).flatMap(({ principals }) =>
          principals.flatMap((it) =>
            unless(it.endsWith('.amazonaws.com'), `${logicalId}.AssumeRolePolicyDocument`, `trusts ${it}`),
          ),
        ),
      ),
  },
  {
    name: 'one-public-door',
    danger: 'strangers reach what sends money; only callbacks come from outside, and they are only hints',
    check: ({ stack, functions, mappings, submit }) =>
      ofType(stack, 'AWS::Lambda::Url').flatMap(({ logicalId, properties }) => {
        const worker = targetOf(stack, properties['TargetFunctionArn']);
        const feeds = worker === submit || mappings.some((mapping) => mapping.worker === worker);
        const known = worker !== undefined && functions.includes(worker);
        return unless(known && !feeds, logicalId, `opens ${worker?.logicalId ?? 'an unknown function'} to the world`);
      }),
  },
  {
    name: 'invoked-by-nobody-else',
    danger: 'whoever may invoke a function hands it messages of their own making',
    check: ({ stack }) =>
      ofType(stack, 'AWS::Lambda::Permission').flatMap(({ logicalId, properties }) => {
        const {
          Principal: principal,
          FunctionUrlAuthType: url,
          InvokedViaFunctionUrl: viaUrl,
          SourceArn: source,
        } = properties;
        const bounded = principal === '*' ? url !== undefined || viaUrl === true : source !== undefined;
        return unless(bounded, logicalId, `lets ${String(principal)} invoke it from anywhere`);
      }),
  },
  {
    name: 'queue-policies-narrow',
    danger: 'whoever can put a message on the jobs queue can pay, whoever reads results knows who is paid what',
    check: ({ stack }) =>
      ofType(stack, 'AWS::SQS::Queue').flatMap((queue) =>
        policiesOn(stack, queue)
          .filter(({ allows }) => allows)
          .flatMap(({ where, principals, conditions }) =>
            unless(
              !principals.includes('*') && Object.keys(conditions).length > 0,
              where,
              `lets ${principals.join(', ')} in without a condition`,
            ),
          ),
      ),
  },
  {
    name: 'no-plain-http',
    danger: 'payouts and keys cross the network readable',
    check: ({ stack }) =>
      queuesAndSecrets(stack).flatMap((target) =>
        unless(refusesPlainHttp(policiesOn(stack, target)), target.logicalId, 'has no policy that refuses plain HTTP'),
      ),
  },
];
