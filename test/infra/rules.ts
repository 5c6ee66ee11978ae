// What keeps money, answers and secrets safe in a stack: rules over the packaged template. Each returns its faults, a line each.
import { readFileSync } from 'node:fs';
import { readWorkerConfig } from '../../lib/aws/env-config.ts';
import { figures } from '../../lib/payout/metrics.ts';
import { keyAllows } from '../rights/policy-evaluator.ts';
import { type Statement, statementsOf, statementsOfRole, textOf } from '../rights/policy.ts';
import { listOf, ofType, recordOf, type Resource, type Stack, stackOf, targetOf } from '../support/stack.ts';
import type { Packaged, Resource as TemplateResource } from './packaged.ts';

/** The packaged stack of a stage, with the parts that the rules speak of. */
interface Judged extends Packaged {
  readonly stage: string;
  readonly stack: Stack;
  readonly resources: Readonly<Record<string, TemplateResource>>;
}

/** One rule. */
interface Rule {
  readonly name: string;
  readonly faults: (it: Judged) => readonly string[];
}

/** The faults of a stack by all rules: `rule: fault`. */
export function faultsOf(stage: string, packaged: Packaged): readonly string[] {
  const judged = { ...packaged, stage, stack: stackOf(packaged.template), resources: packaged.template.Resources };
  return rules.flatMap(({ name, faults }) => {
    try {
      return faults(judged).map((fault) => `${name}: ${fault}`);
    } catch (error) {
      return [`${name}: ${String(error)}`];
    }
  });
}

const unless = (holds: boolean, fault: string): readonly string[] => (holds ? [] : [fault]);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
const attribute = (logicalId: string) => ({ 'Fn::GetAtt': [logicalId, 'Arn'] });
const functions = ({ stack }: Judged) => ofType(stack, 'AWS::Lambda::Function');
const properties = ({ stack }: Judged, id: string) => recordOf(stack.get(id)?.properties);
const day = 86_400;

/** The worker's own settings of a function. What is known only at deployment is a mark. */
function configOf(worker: Resource) {
  const variables = Object.entries(recordOf(recordOf(worker.properties['Environment'])['Variables']));
  return readWorkerConfig(
    Object.fromEntries(variables.map(([name, it]) => [name, typeof it === 'object' ? '<later>' : String(it)])),
  );
}

function mappings({ stack }: Judged) {
  return ofType(stack, 'AWS::Lambda::EventSourceMapping').map(({ logicalId, properties: it }) => ({
    logicalId,
    it,
    queue: targetOf(stack, it['EventSourceArn']),
    worker: targetOf(stack, it['FunctionName']),
  }));
}

/** Every statement of the template that gives or refuses something, and who has it. */
function statements({ stack }: Judged): readonly (Statement & { readonly holder: string })[] {
  return [...stack.values()].flatMap((it) => {
    const own =
      it.type === 'AWS::IAM::Role'
        ? statementsOfRole(stack, it)
        : ['PolicyDocument', 'KeyPolicy', 'ResourcePolicy', 'ResourcePolicyDocument'].flatMap((name) =>
            statementsOf(it.properties[name] ?? {}, it.logicalId),
          );
    return own.map((statement) => ({ ...statement, holder: it.logicalId }));
  });
}

const kept = ['DynamoDB::Table', 'SQS::Queue', 'KMS::Key', 'SecretsManager::Secret', 'Logs::LogGroup'].map(
  (it) => `AWS::${it}`,
);
const keysOfCards = 'CardKeysTable';
const offices = /^(Producer|CvvProducer|Operator|Decider|Registrar|Keeper|Recovery)Policy$/;
const person = (name: string) => `arn:\${AWS::Partition}:iam::\${AWS::AccountId}:role/${name}`;

/** The rules. */
const rules: readonly Rule[] = [
  {
    name: 'settings by which every function starts',
    faults: (it) =>
      functions(it).flatMap((worker) => {
        try {
          configOf(worker);
          return [];
        } catch (error) {
          return [`${worker.logicalId}: ${String(error)}`];
        }
      }),
  },
  {
    name: 'functions run their own code, under their own role, with their own log',
    faults: (it) =>
      functions(it).flatMap(({ logicalId, properties: its }) => {
        const name = logicalId.replace('LambdaFunction', '');
        const file = name.toLowerCase();
        const logging = { LogFormat: 'JSON', SystemLogLevel: 'WARN' };
        return [
          ...unless(/^(Submit|Inquire|Sweep|Callback)$/.test(name), `${logicalId} is no function of functions/`),
          ...unless(its['Handler'] === `dist/${file}.handler`, `${logicalId}.Handler`),
          ...unless(String(recordOf(its['Code'])['S3Key']).endsWith(`/${file}.zip`), `${logicalId}.Code`),
          ...unless(
            same(recordOf(its['Code'])['S3Bucket'], { Ref: 'ServerlessDeploymentBucket' }),
            `${logicalId}.Code.S3Bucket`,
          ),
          ...unless(same(its['Role'], attribute(`${name}Role`)), `${logicalId}.Role`),
          ...unless(same(its['LoggingConfig'], logging), `${logicalId}.LoggingConfig`),
          ...unless(its['Runtime'] === 'nodejs24.x', `${logicalId}.Runtime`),
          ...unless(its['Layers'] === undefined, `${logicalId}.Layers`),
        ];
      }),
  },
  {
    name: 'a function has the time that the worker plans with, and a message that of six',
    faults: (it) => {
      const submit = it.stack.get('SubmitLambdaFunction');
      if (!submit) return ['there is no SubmitLambdaFunction'];
      const { limits } = configOf(submit);
      const seconds = (worker: Resource | undefined) => Number(worker?.properties['Timeout'] ?? 3);
      const least = (2 * limits.gatewayTotalTimeoutMs + limits.settleReserveMs) / 1000;
      return [
        ...unless(
          seconds(submit) * 1000 === limits.functionTimeoutMs,
          'submit has another time-out than FUNCTION_TIMEOUT_MS',
        ),
        ...mappings(it).flatMap(({ logicalId, it: mapping, queue, worker }) => {
          const visible = Number(queue?.properties['VisibilityTimeout'] ?? 30);
          const needed = 6 * seconds(worker) + Number(mapping['MaximumBatchingWindowInSeconds'] ?? 0);
          return [
            ...unless(seconds(worker) >= least, `${worker?.logicalId}.Timeout is below ${least} s`),
            ...unless(
              visible >= needed,
              `${logicalId}: ${queue?.logicalId}.VisibilityTimeout is ${visible}, below ${needed}`,
            ),
          ];
        }),
        // The next sweep begins each minute.
        ...unless(seconds(it.stack.get('SweepLambdaFunction')) < 60, 'sweep may overlap the next'),
      ];
    },
  },
  {
    name: 'messages are received often enough before they are dead letters',
    faults: (it) => {
      const { maxReceiveCount } = configOf(it.stack.get('SubmitLambdaFunction') ?? ({} as Resource)).limits;
      return ofType(it.stack, 'AWS::SQS::Queue').flatMap(({ logicalId, properties: its }) => {
        const is = Number(recordOf(its['RedrivePolicy'])['maxReceiveCount'] ?? Infinity);
        const isOfJobs = /^(Batch)?JobsQueue$/.test(logicalId);
        // What waits by its visibility for 14 days is received 800 times.
        const fits = isOfJobs ? is === maxReceiveCount && is >= 900 : is >= 5;
        const isDead = textOf(its['QueueName']).endsWith('-dead');
        return [
          ...unless(fits, `${logicalId}.RedrivePolicy.maxReceiveCount is ${is}`),
          ...unless(isDead || is < Infinity, `${logicalId} has no dead-letter queue`),
        ];
      });
    },
  },
  {
    name: 'no mapping loses a message',
    faults: (it) => [
      ...unless(mappings(it).length === 5, `${mappings(it).length} mappings instead of 5`),
      ...mappings(it).flatMap(({ logicalId, it: mapping, queue, worker }) => {
        const atOnce = Number(recordOf(mapping['ScalingConfig'])['MaximumConcurrency']);
        const isOwn =
          logicalId === `${worker?.logicalId.replace('LambdaFunction', '')}EventSourceMappingSQS${queue?.logicalId}`;
        const most = worker ? configOf(worker).limits.concurrency : 0;
        return [
          ...unless(isOwn, `${logicalId} leads from ${queue?.logicalId} to ${worker?.logicalId}`),
          ...unless(
            same(mapping['FunctionResponseTypes'], ['ReportBatchItemFailures']),
            `${logicalId}.FunctionResponseTypes`,
          ),
          ...unless(
            mapping['FilterCriteria'] === undefined,
            `${logicalId}.FilterCriteria deletes what fits none, unread`,
          ),
          ...unless(mapping['Enabled'] !== false, `${logicalId} is off`),
          ...unless(atOnce >= 2 && atOnce <= 1000, `${logicalId}.MaximumConcurrency is ${atOnce}`),
          ...unless(Number(mapping['BatchSize'] ?? 10) <= most, `${logicalId}.BatchSize is above ${most} jobs at once`),
          ...unless(
            worker?.properties['ReservedConcurrentExecutions'] === undefined,
            `${worker?.logicalId} throttles: counts as received`,
          ),
        ];
      }),
      ...['SubmitLambdaFunction', 'InquireLambdaFunction'].flatMap((id) =>
        unless(properties(it, id)['RecursiveLoop'] === 'Allow', `${id}.RecursiveLoop`),
      ),
    ],
  },
  {
    name: 'four sweepers come each minute',
    faults: (it) => {
      const rulesOfSweep = ofType(it.stack, 'AWS::Events::Rule').filter(({ logicalId }) =>
        logicalId.startsWith('Sweep'),
      );
      const parts = rulesOfSweep.flatMap(({ properties: its }) => {
        const [target] = listOf(its['Targets']).map(recordOf);
        const isOn = its['State'] === 'ENABLED' && its['ScheduleExpression'] === 'rate(1 minute)';
        return isOn && same(target?.['Arn'], attribute('SweepLambdaFunction')) ? [String(target?.['Input'])] : [];
      });
      const wanted = [0, 1, 2, 3].map((part) => JSON.stringify({ part, of: 4 }));
      return unless(same(parts.toSorted(), wanted), `parts ${parts.join(' ')}`);
    },
  },
  {
    name: 'strangers reach one function alone, which has a reserve',
    faults: (it) => [
      ...ofType(it.stack, 'AWS::Lambda::Url').flatMap(({ logicalId, properties: its }) => {
        const worker = targetOf(it.stack, its['TargetFunctionArn']);
        return [
          ...unless(worker?.logicalId === 'CallbackLambdaFunction', `${logicalId} leads to ${worker?.logicalId}`),
          ...unless(Number(worker?.properties['ReservedConcurrentExecutions'] ?? 0) > 0, `${logicalId} has no reserve`),
        ];
      }),
      ...ofType(it.stack, 'AWS::Lambda::Permission').flatMap(({ logicalId, properties: its }) => {
        const isOfUrl = its['Principal'] === '*' && same(its['FunctionName'], attribute('CallbackLambdaFunction'));
        const isOfRule = its['Principal'] === 'events.amazonaws.com' && its['SourceArn'] !== undefined;
        return unless(
          isOfRule || (isOfUrl && ofType(it.stack, 'AWS::Lambda::Url').length > 0),
          `${logicalId} lets ${textOf(its['Principal'])} in`,
        );
      }),
      ...statements(it).flatMap(({ holder, where, allows, principals, conditions, resources }) =>
        unless(
          !allows ||
            !principals.includes('*') ||
            Object.keys(conditions).length > 0 ||
            resources.every((one) => one.includes('${AWS::AccountId}')),
          `${holder} ${where} is open to everybody`,
        ),
      ),
      // Principals of other accounts: no number of an account is in a template.
      ...statements(it).flatMap(({ holder, principals }) =>
        principals.filter((one) => /\d{12}/.test(one)).map((one) => `${holder} lets ${one} in`),
      ),
    ],
  },
  {
    name: 'data outlives the stack, and no deployment replaces it',
    faults: (it) => [
      ...Object.entries(it.resources).flatMap(([id, { Type, DeletionPolicy, UpdateReplacePolicy }]) => {
        if (!kept.includes(Type)) return [];
        const policies = [DeletionPolicy, UpdateReplacePolicy];
        // The key of a CVV must not be kept: it would open the card data of a sent order (PCI DSS 3.3.1).
        const wanted = id === keysOfCards ? ['Delete', 'Delete'] : ['RetainExceptOnCreate', 'Retain'];
        return unless(same(policies, wanted), `${id} has ${policies.join(' and ')}`);
      }),
      ...kept
        .filter((type) => type !== 'AWS::Logs::LogGroup')
        .flatMap((type) =>
          unless(JSON.stringify(it.stackPolicy).includes(`"${type}"`), `the stack policy lets ${type} be replaced`),
        ),
      ...unless(
        it.stackPolicy.some(
          (one) =>
            recordOf(one)['Effect'] === 'Deny' && same(recordOf(one)['Action'], ['Update:Replace', 'Update:Delete']),
        ),
        'the stack policy denies nothing',
      ),
    ],
  },
  {
    name: 'data is encrypted with the key of the stack',
    faults: ({ stack }) =>
      [...kept, 'AWS::SNS::Topic']
        .filter((type) => type !== 'AWS::KMS::Key')
        .flatMap((type) => ofType(stack, type))
        .flatMap(({ logicalId, properties: its }) => {
          const sse = recordOf(its['SSESpecification']);
          const key =
            its['KmsMasterKeyId'] ??
            its['KmsKeyId'] ??
            (sse['SSEEnabled'] === true ? sse['KMSMasterKeyId'] : undefined);
          return unless(same(key, attribute('WorkerKey')), `${logicalId} is under ${textOf(key ?? 'no key')}`);
        }),
  },
  {
    name: 'tables can be had again, and not be deleted by one call',
    faults: ({ stack, stage }) =>
      ofType(stack, 'AWS::DynamoDB::Table').flatMap(({ logicalId, properties: its }) => {
        const recovery = recordOf(its['PointInTimeRecoverySpecification']);
        const isKept = logicalId !== keysOfCards;
        return [
          ...unless(recovery['PointInTimeRecoveryEnabled'] === isKept, `${logicalId}.PointInTimeRecoverySpecification`),
          ...unless(
            stage === 'trial' || !isKept || its['DeletionProtectionEnabled'] === true,
            `${logicalId} is not protected`,
          ),
          ...unless(isKept || its['StreamSpecification'] === undefined, `${logicalId} has a stream`),
          ...unless(its['BillingMode'] === 'PAY_PER_REQUEST', `${logicalId}.BillingMode`),
          ...unless(its['ResourcePolicy'] === undefined, `${logicalId}.ResourcePolicy`),
        ];
      }),
  },
  {
    name: 'messages and logs are kept for as long as a person may need',
    faults: ({ stack }) => [
      ...ofType(stack, 'AWS::SQS::Queue').flatMap(({ logicalId, properties: its }) => {
        // A dead letter keeps its age: a source of ten days leaves four of the fourteen.
        const isShort = /^(Results|Checks|Callbacks)Queue$/.test(logicalId);
        return unless(
          its['MessageRetentionPeriod'] === (isShort ? 10 : 14) * day,
          `${logicalId}.MessageRetentionPeriod`,
        );
      }),
      ...ofType(stack, 'AWS::Logs::LogGroup').flatMap(({ logicalId, properties: its }) =>
        unless(Number(its['RetentionInDays'] ?? 0) >= 14, `${logicalId}.RetentionInDays`),
      ),
    ],
  },
  {
    name: 'queues, topics, secrets and the bucket refuse plain HTTP',
    faults: (it) => {
      const refuses = (of: (id: string) => boolean) =>
        statements(it).some(
          ({ holder, allows, conditions }) =>
            of(holder) && !allows && recordOf(conditions['Bool'])['aws:SecureTransport'] !== undefined,
        );
      const named = (id: string, list: string) => listOf(properties(it, id)[list]).map((one) => recordOf(one)['Ref']);
      const queues = new Set(
        ofType(it.stack, 'AWS::SQS::Queue').map(({ logicalId }) => [logicalId, 'Queues'] as const),
      );
      const topics = ofType(it.stack, 'AWS::SNS::Topic').map(({ logicalId }) => [logicalId, 'Topics'] as const);
      return [
        ...[...queues, ...topics].flatMap(([id, list]) =>
          unless(
            refuses((holder) => named(holder, list).includes(id)),
            id,
          ),
        ),
        ...['WorkerSecretPolicy', 'ServerlessDeploymentBucketPolicy'].flatMap((id) =>
          unless(
            refuses((holder) => holder === id),
            id,
          ),
        ),
      ];
    },
  },
  {
    name: 'the bucket of code is private',
    faults: (it) => {
      const bucket = properties(it, 'ServerlessDeploymentBucket');
      const blocked = Object.values(recordOf(bucket['PublicAccessBlockConfiguration']));
      return [
        ...unless(blocked.length === 4 && blocked.every((one) => one === true), 'public access is not blocked'),
        ...unless(recordOf(bucket['VersioningConfiguration'])['Status'] === 'Enabled', 'versions are not kept'),
        ...unless(bucket['BucketName'] === undefined, 'its name can be guessed, and taken before'),
      ];
    },
  },
  {
    name: 'queues take from their senders alone',
    faults: (it) =>
      statements(it).flatMap(({ holder, allows, actions, principals, conditions }) => {
        if (it.stack.get(holder)?.type !== 'AWS::SQS::QueuePolicy' || !allows) return [];
        const isRule = same(principals, ['events.amazonaws.com']) && same(actions, ['sqs:SendMessage']);
        return unless(
          isRule &&
            it.stage === 'example' &&
            same(conditions, { ArnEquals: { 'aws:SourceArn': attribute('OrderPaidRule') } }),
          `${holder} lets ${principals.join()} ${actions.join()}`,
        );
      }),
  },
  {
    name: 'approvers alone approve',
    faults: (it) => {
      const gives = (actions: readonly string[]) => actions.some((one) => /^(kms:(GenerateMac|\*)|\*)$/.test(one));
      const holders = [
        ...new Set(statements(it).flatMap((one) => (one.allows && gives(one.actions) ? [one.holder] : []))),
      ];
      const refusing = statements(it).filter(
        (one) => !one.allows && same([one.actions, one.resources, one.conditions], [['kms:GenerateMac'], ['*'], {}]),
      );
      const missing = Object.keys(it.resources).filter(
        (id) => offices.test(id) && !refusing.some(({ holder }) => holder === id),
      );
      return [
        ...unless(
          same(holders.toSorted(), ['ApprovalKey', 'ApproverPolicy']),
          `${holders.join(', ')} give kms:GenerateMac`,
        ),
        ...missing.map((id) => `${id} does not refuse it`),
      ];
    },
  },
  {
    name: 'the policies of keys let in whom they must, and no other',
    faults: ({ stack, stage }) => {
      const submit = person('${AWS::StackName}-SubmitRole-1A2B3C');
      const inquire = person('${AWS::StackName}-InquireRole-1A2B3C');
      const approver = person(`payouts-${stage}-approver`);
      const session = 'alice';
      const asked: readonly (readonly [
        key: string,
        call: Omit<Parameters<typeof keyAllows>[2], never>,
        may: boolean,
      ])[] = [
        ['WorkerKey', { action: 'kms:Decrypt', principal: submit, via: 'sqs' }, true],
        ['WorkerKey', { action: 'kms:Decrypt', principal: submit, via: 'dynamodb' }, true],
        ['WorkerKey', { action: 'kms:Decrypt', principal: submit, via: 'secretsmanager' }, true],
        ['WorkerKey', { action: 'kms:Decrypt', principal: submit }, false],
        ['WorkerKey', { action: 'kms:Decrypt', principal: submit, via: 'ebs' }, false],
        ['WaitingKey', { action: 'kms:Decrypt', principal: submit }, true],
        ['WaitingKey', { action: 'kms:GenerateDataKey', principal: submit }, true],
        ['WaitingKey', { action: 'kms:Decrypt', principal: inquire }, false],
        ['WaitingKey', { action: 'kms:Decrypt', principal: approver }, false],
        ['ApprovalKey', { action: 'kms:GenerateMac', principal: approver, session }, true],
        ['ApprovalKey', { action: 'kms:GenerateMac', principal: approver, session: 'botocore-session-1' }, false],
        ['ApprovalKey', { action: 'kms:GenerateMac', principal: submit, session }, false],
        ['ApprovalKey', { action: 'kms:GenerateMac', principal: person('operator'), session }, false],
        ['ApprovalKey', { action: 'kms:VerifyMac', principal: submit }, true],
        ...['WorkerKey', 'WaitingKey', 'ApprovalKey'].map(
          (key) => [key, { action: 'kms:PutKeyPolicy', principal: person('admin') }, true] as const,
        ),
        // Administrators manage a key, and use none.
        ...['WaitingKey', 'ApprovalKey'].flatMap((key) =>
          ['kms:Encrypt', 'kms:CreateGrant', 'kms:GenerateDataKey', 'kms:Sign'].map(
            (action) => [key, { action, principal: person('admin') }, false] as const,
          ),
        ),
      ];
      return asked.flatMap(([key, call, may]) =>
        unless(
          keyAllows(stack, key, call) === may,
          `${key} ${may ? 'refuses' : 'allows'} ${call.action} ${call.principal} ${call.via ?? ''}${call.session ?? ''}`,
        ),
      );
    },
  },
  {
    name: 'roles of functions have no pattern of actions, and forget no order',
    faults: (it) => [
      ...ofType(it.stack, 'AWS::IAM::Role').flatMap((role) => {
        const trusted = statementsOf(role.properties['AssumeRolePolicyDocument'], role.logicalId);
        const service = role.logicalId === 'ResultsPipeRole' ? 'pipes.amazonaws.com' : 'lambda.amazonaws.com';
        const allowed = statementsOfRole(it.stack, role).filter(({ allows }) => allows);
        return [
          ...unless(
            same(
              trusted.map(({ principals }) => principals),
              [[service]],
            ),
            `${role.logicalId} is assumed by another`,
          ),
          ...allowed
            .flatMap(({ actions }) => actions.filter((one) => one.includes('*')))
            .map((one) => `${role.logicalId} may ${one}`),
          ...allowed
            .filter(
              ({ actions, resources }) => resources.includes('*') && !actions.every((one) => one.startsWith('ec2:')),
            )
            .map(({ actions }) => `${role.logicalId} may ${actions.join()} on everything`),
          ...allowed
            .filter(
              ({ actions, resources }) =>
                actions.includes('dynamodb:DeleteItem') &&
                resources.some((one) => !/CardKeysTable|WaitingTable/.test(one)),
            )
            .map(() => `${role.logicalId} deletes items`),
          ...unless(
            (role.properties['PermissionsBoundary'] === undefined) === (it.stage !== 'example'),
            `${role.logicalId}.PermissionsBoundary is not the stage's`,
          ),
        ];
      }),
      ...ofType(it.stack, 'AWS::IAM::ManagedPolicy').flatMap(({ logicalId, properties: its }) =>
        statementsOf(its['PolicyDocument'], logicalId)
          .filter(({ allows, actions }) => allows && actions.includes('*'))
          .map(() => `${logicalId} allows everything`),
      ),
      ...ofType(it.stack, 'AWS::IAM::User').map(({ logicalId }) => `${logicalId} has a key for ever`),
    ],
  },
  {
    name: 'alarms are heard, have figures, and a section of the runbook',
    faults: (it) => {
      const page = readFileSync(new URL('../../infra/docs/runbook.md', import.meta.url), 'utf8');
      const queues = new Set(
        ofType(it.stack, 'AWS::SQS::Queue').map(({ properties: its }) => textOf(its['QueueName'])),
      );
      const names = new Set(functions(it).map(({ properties: its }) => textOf(its['FunctionName'])));
      const alarms = ofType(it.stack, 'AWS::CloudWatch::Alarm');
      return [
        ...unless(alarms.length >= 21, `${alarms.length} alarms`),
        ...alarms.flatMap(({ logicalId, properties: its }) => {
          const section = /infra\/docs\/runbook\.md#([\w-]+)$/.exec(String(its['AlarmDescription']))?.[1] ?? '';
          const read = listOf(its['Metrics']).map((one) => recordOf(recordOf(recordOf(one)['MetricStat'])['Metric']));
          const heard = listOf(its['AlarmActions']).map(textOf);
          const isSilence = logicalId === 'SweeperSilentAlarm';
          return [
            ...unless(page.includes(`\n## ${section}\n`), `${logicalId}: the runbook has no section ${section}`),
            ...unless(
              same(heard, ['${PageTopic}']) || same(heard, ['${TicketTopic}']),
              `${logicalId} tells ${heard.join()}`,
            ),
            ...unless(its['ActionsEnabled'] !== false, `${logicalId} is muted`),
            ...unless(listOf(its['Metrics']).length <= 10, `${logicalId} reads more than ten metrics`),
            ...unless(
              its['TreatMissingData'] === (isSilence ? 'breaching' : 'notBreaching'),
              `${logicalId}.TreatMissingData`,
            ),
            ...read
              .filter(({ Namespace, MetricName, Dimensions }) => {
                const [{ Value = '' } = {}] = listOf(Dimensions).map(recordOf);
                if (Namespace === `Payouts/${it.stage}`) return !(String(MetricName) in figures);
                if (Namespace === 'AWS/SQS') return !queues.has(String(Value));
                return Namespace !== undefined && !names.has(String(Value));
              })
              .map(
                ({ MetricName, Dimensions }) =>
                  `${logicalId} waits for ${String(MetricName)} ${JSON.stringify(Dimensions)}`,
              ),
          ];
        }),
      ];
    },
  },
];
