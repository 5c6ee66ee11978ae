// What keeps money, answers and secrets safe in a stack: rules over the packaged template. Each returns its faults, a line each.
import { readFileSync } from 'node:fs';
import { limitSettings, readWorkerConfig, textSettings } from '../../lib/aws/env-config.ts';
import { figures } from '../../lib/payout/metrics.ts';
import { isLike, keyAllows } from '../rights/policy-evaluator.ts';
import { type Statement, statementsOf, statementsOfRole, textOf } from '../rights/policy.ts';
import { listOf, ofType, recordOf, type Resource, type Stack, stackOf, targetOf } from '../support/stack.ts';
import { ringing } from './alarm-stories.ts';
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

/** The faults of a stack by the rules whose names begin so: `rule: fault`. */
export function faultsOf(stage: string, packaged: Packaged, beginning = ''): readonly string[] {
  const judged = { ...packaged, stage, stack: stackOf(packaged.template), resources: packaged.template.Resources };
  const asked = rules.filter(({ name }) => name.startsWith(beginning));
  return asked.flatMap(({ name, faults }) => {
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
    name: 'the settings of every function are the same, and name the resources of the stack',
    faults: (it) => {
      const wanted = (variable: string): unknown => {
        const id = variable
          .replace(/_(URL|NAME|ID)$/, '')
          .toLowerCase()
          .replaceAll(/(^|_)([a-z])/g, (_all, _line, letter: string) => letter.toUpperCase());
        const type = it.stack.get(id)?.type;
        if (type === 'AWS::KMS::Key') return attribute(id);
        if (type === 'AWS::SQS::Queue' || (type === 'AWS::DynamoDB::Table' && id !== 'LedgerTable')) return { Ref: id };
        const texts: Readonly<Record<string, string>> = {
          // Or a restored one, which the stage names.
          LEDGER_TABLE_NAME: `payouts-${it.stage}-ledger${it.stage === 'example' ? '-2' : ''}`,
          METRICS_NAMESPACE: `Payouts/${it.stage}`,
          WORKER_SECRET_ID: `payouts/${it.stage}/_worker`,
          LEDGER_SECRET_ID: `payouts/${it.stage}/_ledger`,
        };
        return texts[variable];
      };
      return functions(it).flatMap(({ logicalId, properties: its }) =>
        Object.entries(recordOf(recordOf(its['Environment'])['Variables'])).flatMap(([name, value]) => {
          const named = wanted(name);
          return [
            // NODE_OPTIONS, an endpoint or a switch of TLS would go past the worker's own checks.
            ...unless(name in textSettings || name in limitSettings, `${logicalId} has ${name}, which is no setting`),
            ...unless(named === undefined || same(value, named), `${logicalId}.${name} is ${textOf(value)}`),
          ];
        }),
      );
    },
  },
  {
    name: 'functions run their own code, under their own role, with their own log',
    faults: (it) =>
      functions(it).flatMap(({ logicalId, properties: its }) => {
        const name = logicalId.replace('LambdaFunction', '');
        const file = name.toLowerCase();
        const logging = { LogFormat: 'JSON', SystemLogLevel: 'WARN' };
        return [
          ...unless(/^(Submit|Inquire|Sweep|Door|Callback)$/.test(name), `${logicalId} is no function of functions/`),
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
          ...unless(its['FileSystemConfigs'] === undefined, `${logicalId}.FileSystemConfigs`),
          ...unless(
            Number(its['MemorySize']) >= 512,
            `${logicalId} has the processor of ${String(its['MemorySize'])} MB`,
          ),
        ];
      }),
  },
  {
    name: 'a function has the time that the worker plans with, and a message that of several',
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
          // A job that comes a second time is parked; a look is made once more.
          const times = worker?.logicalId === 'SubmitLambdaFunction' ? 1.5 : 6;
          const needed =
            times * seconds(worker) + (times > 2 ? Number(mapping['MaximumBatchingWindowInSeconds'] ?? 0) : 0);
          return [
            ...unless(seconds(worker) >= least, `${worker?.logicalId}.Timeout is below ${least} s`),
            ...unless(
              visible >= needed,
              `${logicalId}: ${queue?.logicalId}.VisibilityTimeout is ${visible}, below ${needed}`,
            ),
          ];
        }),
        // A leader ends when it is 90 s old.
        ...unless(seconds(it.stack.get('SweepLambdaFunction')) >= 120, 'a leader is cut'),
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
        // Twenty hours in which nothing could be parked. A reference that is lost is made up for.
        const fits = isOfJobs ? is === maxReceiveCount && is * Number(its['VisibilityTimeout']) >= 72_000 : is >= 5;
        const isDead = textOf(its['QueueName']).endsWith('-dead');
        const isReferences = logicalId === 'ReferencesQueue';
        const dead = targetOf(it.stack, recordOf(its['RedrivePolicy'])['deadLetterTargetArn']);
        const from = recordOf(dead?.properties['RedriveAllowPolicy']);
        const isTaken =
          from['redrivePermission'] === 'byQueue' &&
          listOf(from['sourceQueueArns']).some((arn) => textOf(arn).endsWith(`:${textOf(its['QueueName'])}`));
        // Lambda does not look at a delay, and SQS refuses a job that is longer than the queue's limit.
        const others = ['DelaySeconds', 'MaximumMessageSize', 'FifoQueue'].filter((name) => its[name] !== undefined);
        return [
          ...unless(
            isDead || isTaken || isReferences,
            `the dead letters of ${logicalId} go to ${dead?.logicalId}, which takes none of it`,
          ),
          ...others.map((name) => `${logicalId}.${name}`),
          ...unless(fits, `${logicalId}.RedrivePolicy.maxReceiveCount is ${is}`),
          ...unless(isDead || isReferences || is < Infinity, `${logicalId} has no dead-letter queue`),
        ];
      });
    },
  },
  {
    name: 'no mapping loses a message',
    faults: (it) => [
      ...unless(mappings(it).length === 4, `${mappings(it).length} mappings instead of 4`),
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
          ...unless([undefined, true].includes(mapping['Enabled'] as undefined), `${logicalId} is off`),
          ...unless(atOnce >= 2 && atOnce <= 1000, `${logicalId}.MaximumConcurrency is ${atOnce}`),
          ...unless(Number(mapping['BatchSize'] ?? 10) <= most, `${logicalId}.BatchSize is above ${most} jobs at once`),
          ...unless(
            worker?.properties['ReservedConcurrentExecutions'] === undefined,
            `${worker?.logicalId} throttles: counts as received`,
          ),
        ];
      }),
    ],
  },
  {
    name: 'the sweeper comes each minute',
    faults: (it) => {
      const rulesOfSweep = ofType(it.stack, 'AWS::Events::Rule').filter(({ logicalId }) =>
        logicalId.startsWith('Sweep'),
      );
      const coming = rulesOfSweep.filter(({ properties: its }) => {
        const [target] = listOf(its['Targets']).map(recordOf);
        const isOn = its['State'] === 'ENABLED' && its['ScheduleExpression'] === 'rate(1 minute)';
        return isOn && same(target?.['Arn'], attribute('SweepLambdaFunction'));
      });
      const [asynchronous] = ofType(it.stack, 'AWS::Lambda::EventInvokeConfig').map(({ properties: its }) => its);
      return [
        ...unless(coming.length === 1, `${coming.length} schedules`),
        // Else a failed sweep comes twice more, beside those of the next minutes.
        ...unless(asynchronous?.['MaximumRetryAttempts'] === 0, 'a failed sweep is tried again'),
      ];
    },
  },
  {
    name: 'nothing else puts jobs, reads alarms or takes data away',
    faults: (it) => {
      const unjudged =
        /^AWS::(IAM::(Policy|RolePolicy|UserPolicy|GroupPolicy|AccessKey)|Logs::SubscriptionFilter|Scheduler::Schedule|SecretsManager::RotationSchedule|DynamoDB::GlobalTable|Lambda::(LayerVersion|Alias|Version)|KMS::ReplicaKey)$/;
      const targets = ofType(it.stack, 'AWS::Events::Rule').flatMap(({ logicalId, properties: its }) =>
        listOf(its['Targets']).map((one) => [logicalId, targetOf(it.stack, recordOf(one)['Arn'])?.logicalId] as const),
      );
      return [
        ...Object.entries(it.resources).flatMap(([id, { Type }]) => unless(!unjudged.test(Type), `${id} is ${Type}`)),
        ...targets.flatMap(([rule, target]) =>
          unless(
            (rule.startsWith('SweepEventsRule') && target === 'SweepLambdaFunction') ||
              (rule === 'OrderPaidRule' && target === 'JobsQueue'),
            `${rule} leads to ${target}`,
          ),
        ),
        ...ofType(it.stack, 'AWS::SNS::Subscription').flatMap(({ logicalId, properties: its }) =>
          unless(its['Protocol'] === 'email', `${logicalId} tells ${String(its['Endpoint'])}`),
        ),
        ...ofType(it.stack, 'AWS::Pipes::Pipe').flatMap(({ logicalId, properties: its }) =>
          // A filter of a pipe deletes what fits none, as that of a mapping.
          unless(recordOf(its['SourceParameters'])['FilterCriteria'] === undefined, `${logicalId}.FilterCriteria`),
        ),
      ];
    },
  },
  {
    name: 'an event of a paid order comes from its source, and is kept if no job can be made of it',
    faults: (it) => {
      const rule = properties(it, 'OrderPaidRule');
      if (!it.stack.has('OrderPaidRule')) return [];
      const [target] = listOf(rule['Targets']).map(recordOf);
      const dead = targetOf(it.stack, recordOf(target?.['DeadLetterConfig'])['Arn']);
      const template = String(recordOf(target?.['InputTransformer'])['InputTemplate']);
      return [
        ...unless(listOf(recordOf(rule['EventPattern'])['source']).length === 1, 'it comes from any source'),
        ...unless(dead?.logicalId === 'OrderPaidDeadLetterQueue', 'what is not taken is lost'),
        // In quotes a value is no JSON: a text of the event could become a field of the job.
        ...unless(!/"[^":\n]*<\w+>/.test(template), 'a placeholder is in quotes'),
      ];
    },
  },
  {
    name: 'the network lets nothing in, and leads out of two zones',
    faults: (it) => {
      if (!it.stack.has('EgressNetwork')) return [];
      const ways = ['PrivateRouteA', 'PrivateRouteB'].map((id) => textOf(properties(it, id)['NatGatewayId']));
      const [gateways, refused] = [
        properties(it, 'LedgerEndpoint')['PolicyDocument'],
        statements(it).some(({ holder, allows }) => holder === 'NetworkPolicy' && !allows),
      ];
      return [
        ...unless(
          properties(it, 'FunctionsSecurityGroup')['SecurityGroupIngress'] === undefined,
          'functions are let in to',
        ),
        ...unless(new Set(ways).size === 2, 'both zones leave by one gateway'),
        ...unless(refused, 'the code of a function may change the network'),
        ...unless(
          !statementsOf(gateways, '').some(({ resources }) => resources.includes('*')),
          'any table can be reached',
        ),
        ...['SubmitLambdaFunction', 'InquireLambdaFunction'].flatMap((id) =>
          unless(listOf(recordOf(properties(it, id)['VpcConfig'])['SubnetIds']).length === 2, `${id} is outside of it`),
        ),
      ];
    },
  },
  {
    name: 'strangers reach one function alone, which has a reserve',
    faults: (it) => [
      ...ofType(it.stack, 'AWS::Lambda::Url').flatMap(({ logicalId, properties: its }) => {
        const worker = targetOf(it.stack, its['TargetFunctionArn']);
        return [
          ...unless(worker?.logicalId === 'DoorLambdaFunction', `${logicalId} leads to ${worker?.logicalId}`),
          ...unless(Number(worker?.properties['ReservedConcurrentExecutions'] ?? 0) > 0, `${logicalId} has no reserve`),
        ];
      }),
      ...ofType(it.stack, 'AWS::Lambda::Permission').flatMap(({ logicalId, properties: its }) => {
        const isOfUrl = its['Principal'] === '*' && same(its['FunctionName'], attribute('DoorLambdaFunction'));
        const rule = targetOf(it.stack, its['SourceArn']);
        const isOfRule = its['Principal'] === 'events.amazonaws.com' && rule?.type === 'AWS::Events::Rule';
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
        it.stackPolicy.map(recordOf).some(({ Effect, Principal, Action, Resource: what, Condition }) => {
          const types = recordOf(recordOf(Condition)['StringEquals'])['ResourceType'];
          const actions = ['Update:Replace', 'Update:Delete'];
          return (
            same([Effect, Principal, Action, what], ['Deny', '*', actions, '*']) &&
            listOf(types).includes('AWS::EC2::EIP')
          );
        }),
        'the stack policy does not deny it',
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
          ...unless(its['StreamSpecification'] === undefined, `${logicalId} has a stream`),
          ...unless(its['BillingMode'] === 'PAY_PER_REQUEST', `${logicalId}.BillingMode`),
          ...unless(
            same(recovery['RecoveryPeriodInDays'], logicalId === 'WaitingTable' ? 7 : undefined),
            `${logicalId} is kept for ${String(recovery['RecoveryPeriodInDays'])} days`,
          ),
          // An order that expires is unknown, and a late message of it would pay again; a job that expires is told to no one. The others
          // write when their items go.
          ...unless(
            recordOf(its['TimeToLiveSpecification'])['AttributeName'] ===
              (logicalId === 'LedgerTable' || logicalId === 'WaitingTable' ? undefined : 'expiresAt'),
            `${logicalId}.TimeToLiveSpecification`,
          ),
          ...['ResourcePolicy', 'KinesisStreamSpecification', 'OnDemandThroughput'].flatMap((name) =>
            unless(its[name] === undefined, `${logicalId}.${name}`),
          ),
        ];
      }),
  },
  {
    name: 'messages and logs are kept for as long as a person may need',
    faults: ({ stack }) => [
      ...ofType(stack, 'AWS::SQS::Queue').flatMap(({ logicalId, properties: its }) => {
        // A dead letter keeps its age: a source of ten days leaves four of the fourteen.
        const isShort = /^(Results|Checks)Queue$/.test(logicalId);
        return unless(
          // A reference is of no use once its lease is over.
          its['MessageRetentionPeriod'] === (logicalId === 'ReferencesQueue' ? 240 : (isShort ? 10 : 14) * day),
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
          ({ holder, allows, actions, principals, resources, conditions }) =>
            of(holder) &&
            !allows &&
            same(principals, ['*']) &&
            actions.every((one) => /^(sqs|s3|secretsmanager):\*$|^sns:Publish$/.test(one)) &&
            resources.some((one) =>
              /^\*$|:payouts-[a-z0-9]+-\*$|^\$\{\w+Topic\}$|\$\{ServerlessDeploymentBucket\}\/\*$/.test(one),
            ) &&
            String(recordOf(conditions['Bool'])['aws:SecureTransport']) === 'false',
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
        ...['WorkerSecretPolicy', 'LedgerSecretPolicy', 'ServerlessDeploymentBucketPolicy'].flatMap((id) =>
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
        ...unless(bucket['BucketEncryption'] !== undefined, 'it is not encrypted'),
        ...unless(bucket['AccessControl'] === undefined, 'it has an access control list'),
      ];
    },
  },
  {
    name: 'queues take from their senders alone, and no policy of a secret, topic or bucket opens it',
    faults: (it) =>
      statements(it).flatMap(({ holder, allows, actions, principals, conditions }) => {
        const type = it.stack.get(holder)?.type ?? '';
        if (type === 'AWS::SecretsManager::ResourcePolicy')
          return [
            ...unless(!allows, `${holder} lets ${principals.join()} ${actions.join()}`),
            ...unless(properties(it, holder)['BlockPublicPolicy'] === true, `${holder}.BlockPublicPolicy`),
          ];
        if (!allows || !/^AWS::(SQS::Queue|SNS::Topic|S3::Bucket)Policy$/.test(type)) return [];
        if (type === 'AWS::SNS::TopicPolicy')
          return unless(
            same([principals, actions], [['cloudwatch.amazonaws.com'], ['sns:Publish']]) &&
              same(conditions['StringEquals'], { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } }),
            `${holder} lets ${principals.join()} ${actions.join()}`,
          );
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
      const gives = (actions: readonly string[]) => actions.some((one) => isLike('kms:GenerateMac', one));
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
        ...['WorkerKey', 'WaitingKey', 'ApprovalKey'].flatMap((key) =>
          ['kms:Encrypt', 'kms:CreateGrant', 'kms:GenerateDataKey', 'kms:Sign', 'kms:ReplicateKey'].map(
            (action) => [key, { action, principal: person('admin') }, false] as const,
          ),
        ),
      ];
      return [
        ...asked.flatMap(([key, call, may]) =>
          unless(
            keyAllows(stack, key, call) === may,
            `${key} ${may ? 'refuses' : 'allows'} ${call.action} ${call.principal} ${call.via ?? ''}${call.session ?? ''}`,
          ),
        ),
        ...ofType(stack, 'AWS::KMS::Key').flatMap(({ logicalId, properties: its }) => [
          ...unless(
            its['PendingWindowInDays'] === 30,
            `${logicalId} can be gone in ${String(its['PendingWindowInDays'])} days`,
          ),
          ...unless(its['BypassPolicyLockoutSafetyCheck'] === undefined, `${logicalId} may lock all out`),
          ...unless(logicalId === 'ApprovalKey' || its['EnableKeyRotation'] === true, `${logicalId} is never rotated`),
          ...statementsOf(its['KeyPolicy'], logicalId).flatMap(({ where, principals, conditions }) =>
            principals
              .filter((one) => !one.endsWith(':root'))
              .flatMap((one) =>
                unless(
                  logicalId === 'WorkerKey' &&
                    /^(logs\.\$\{AWS::Region\}|events|cloudwatch)\.amazonaws\.com$/.test(one) &&
                    Object.keys(conditions).length > 0,
                  `${where} lets ${one} in`,
                ),
              ),
          ),
        ]),
      ];
    },
  },
  {
    name: 'what a policy allows is said by name',
    faults: (it) => [
      // What is left out of a list is allowed by these words, and no rule sees it.
      ...Object.entries(it.resources).flatMap(([id, one]) =>
        unless(!/"Not(Action|Resource|Principal)":/.test(allowedIn(one)), `${id} allows what it does not name`),
      ),
      ...ofType(it.stack, 'AWS::IAM::Role').flatMap(({ logicalId, properties: its }) =>
        unless(listOf(its['ManagedPolicyArns']).length === 0, `${logicalId} has a policy that is not the stack's`),
      ),
      ...ofType(it.stack, 'AWS::IAM::ManagedPolicy').flatMap(({ logicalId, properties: its }) => [
        ...unless(!its['Users'] && !its['Groups'], `${logicalId} is given to people by the stack`),
        ...unless(
          !its['Roles'] ||
            (/^(Network|Signing)Policy$/.test(logicalId) &&
              same(its['Roles'], [{ Ref: 'SubmitRole' }, { Ref: 'InquireRole' }])),
          `${logicalId} is given to ${listOf(its['Roles']).map(textOf).join()}`,
        ),
        // Who makes a role, changes code or calls a function has all rights of the functions.
        ...statementsOf(its['PolicyDocument'], logicalId)
          .filter(({ allows }) => allows)
          .flatMap(({ actions }) => actions)
          .filter(
            (one) =>
              /^(iam|sts|lambda|cloudformation|s3|logs|events):/.test(one) &&
              !/:(Get|List|Describe|DetectStack|Lookup|StartQuery|Filter)|^lambda:UpdateEventSourceMapping$|^events:EnableRule$/.test(
                one,
              ),
          )
          .map((one) => `${logicalId} may ${one}`),
      ]),
      ...statements(it)
        .filter(({ holder, allows, actions, conditions }) => {
          const isSigning = holder === 'SigningPolicy' && allows && actions.includes('kms:Sign');
          return isSigning && recordOf(conditions['StringEquals'])['kms:SigningAlgorithm'] === undefined;
        })
        .map(({ holder }) => `${holder} signs by any algorithm`),
    ],
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
            .flatMap(({ actions }) => actions.filter((one) => /[*?]/.test(one)))
            .map((one) => `${role.logicalId} may ${one}`),
          ...allowed
            .flatMap(({ actions }) => actions)
            .filter((one) => /^dynamodb:(DeleteTable|BatchWrite|PartiQL|UpdateTable)|^sqs:PurgeQueue$/.test(one))
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
    name: 'alarms ring in time, and wake whom they must',
    faults: ({ stack }) => ringing(stack),
  },
  {
    name: 'alarms are heard, have figures, and a section of the runbook',
    faults: (it) => {
      const page = readFileSync(new URL('../../infra/docs/runbook.md', import.meta.url), 'utf8');
      const alarms = ofType(it.stack, 'AWS::CloudWatch::Alarm');
      return alarms.flatMap(({ logicalId, properties: its }) => {
        const section = /infra\/docs\/runbook\.md#([\w-]+)$/.exec(String(its['AlarmDescription']))?.[1] ?? '';
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
          ...listOf(its['Metrics'])
            .map((one) => recordOf(recordOf(recordOf(one)['MetricStat'])['Metric']))
            .filter(({ Namespace, MetricName }) =>
              Namespace === `Payouts/${it.stage}`
                ? !(String(MetricName) in figures)
                : !/^(AWS\/(SQS|Lambda)|undefined)$/.test(String(Namespace)),
            )
            .map(({ MetricName }) => `${logicalId} waits for ${String(MetricName)}`),
        ];
      });
    },
  },
];

/** Without what is refused: a refusal of all but one thing allows nothing. */
const allowedIn = (resource: unknown): string =>
  JSON.stringify(resource, (_key, value: unknown) => (recordOf(value)['Effect'] === 'Deny' ? undefined : value));
