// What was attached beside the stack? Rights, callers, copies and changes that no line of the template names, so that CloudFormation's drift
// detection passes over them.
import { isDeepStrictEqual } from 'node:util';
import { DescribeAlarmsCommand, ListAlarmMuteRulesCommand } from '@aws-sdk/client-cloudwatch';
import { DescribeTableCommand, GetResourcePolicyCommand } from '@aws-sdk/client-dynamodb';
import {
  ListAttachedRolePoliciesCommand,
  ListEntitiesForPolicyCommand,
  ListRolePoliciesCommand,
} from '@aws-sdk/client-iam';
import { paginateListGrants } from '@aws-sdk/client-kms';
import {
  GetFunctionConcurrencyCommand,
  GetFunctionConfigurationCommand,
  GetFunctionUrlConfigCommand,
  GetPolicyCommand,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import { DescribeSecretCommand } from '@aws-sdk/client-secrets-manager';
import { paginateListSubscriptionsByTopic } from '@aws-sdk/client-sns';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { type DeployedStack, ifThere, ofEach } from './stack.ts';

/** The questions. */
export const besideQuestions = {
  'roles have the rights of the stack and no others': roles,
  'no person holds two offices that exclude each other': offices,
  'functions are called by the stack alone, and run what was deployed': functions,
  'queues take from the senders of the stack': queues,
  'tables, keys and secrets have no other readers': data,
  'alarms are on, and a person hears them': alarms,
};

/** A change by CloudFormation itself ends a moment after its own time. */
const deploymentMs = 15 * 60_000;

interface Statement {
  readonly Sid?: string;
  readonly Effect?: string;
  readonly Action?: unknown;
  readonly Principal?: unknown;
}
const statementsIn = (policy: string | undefined): readonly Statement[] =>
  (JSON.parse(policy ?? '{"Statement":[]}') as { readonly Statement: readonly Statement[] }).Statement;

function roles({ of, iam, template }: DeployedStack): Promise<string[]> {
  return ofEach(of('IAM::Role'), async ({ logicalId, id: RoleName }) => {
    // Policies of people are the stack's too: a function with the approver's would approve its own payments.
    const given = of('IAM::ManagedPolicy').filter(({ logicalId: policy }) => {
      const holders = template.Resources[policy]?.Properties?.['Roles'] ?? [];
      return (holders as readonly { readonly Ref?: string }[]).some(({ Ref }) => Ref === logicalId);
    });
    const declared = (template.Resources[logicalId]?.Properties?.['Policies'] ?? []) as {
      readonly PolicyName: string;
    }[];
    const [{ AttachedPolicies = [] }, { PolicyNames = [] }] = await Promise.all([
      iam.send(new ListAttachedRolePoliciesCommand({ RoleName })),
      iam.send(new ListRolePoliciesCommand({ RoleName })),
    ]);
    const attached = AttachedPolicies.filter(({ PolicyArn }) => given.every(({ id }) => id !== PolicyArn));
    const inline = PolicyNames.filter((name) => declared.every(({ PolicyName }) => PolicyName !== name));
    return [...attached.map(({ PolicyArn }) => PolicyArn ?? ''), ...inline].map((it) => `${logicalId} has ${it} too`);
  });
}

/** Who holds the approver's policy must hold none of these: the person would approve what they sent. */
const excluded = /^(Producer|CvvProducer|Operator|Decider|Registrar|Keeper|Recovery)Policy$/;

async function offices({ of, iam }: DeployedStack): Promise<readonly string[]> {
  const held = new Map<string, string[]>();
  await ofEach(of('IAM::ManagedPolicy'), async ({ logicalId, id: PolicyArn }) => {
    const {
      PolicyRoles = [],
      PolicyUsers = [],
      PolicyGroups = [],
    } = await iam.send(new ListEntitiesForPolicyCommand({ PolicyArn }));
    const names = [
      ...PolicyRoles.map((it) => it.RoleName),
      ...PolicyUsers.map((it) => it.UserName),
      ...PolicyGroups.map((it) => it.GroupName),
    ];
    for (const name of names) held.set(name ?? '', [...(held.get(name ?? '') ?? []), logicalId]);
    return [];
  });
  return [...held].flatMap(([name, policies]) => {
    const others = policies.filter((it) => excluded.test(it));
    return policies.includes('ApproverPolicy') && others.length > 0
      ? [`${name} approves, and has ${others.join(', ')}`]
      : [];
  });
}

function functions({ of, ids, lambda, template, deployedAt }: DeployedStack): Promise<string[]> {
  const hasUrl = of('Lambda::Url').length > 0;
  return ofEach(of('Lambda::Function'), async ({ logicalId, id: FunctionName }) => {
    const which = { FunctionName };
    const found: string[] = [];
    for await (const page of paginateListEventSourceMappings({ client: lambda }, which))
      for (const { UUID = '', EventSourceArn } of page.EventSourceMappings ?? [])
        if (!ids.has(UUID)) found.push(`${logicalId} is fed by ${EventSourceArn} too`);
    const [policy, url, { ReservedConcurrentExecutions: reserved }, { LastModified = '' }] = await Promise.all([
      ifThere(lambda.send(new GetPolicyCommand(which))),
      ifThere(lambda.send(new GetFunctionUrlConfigCommand(which))),
      lambda.send(new GetFunctionConcurrencyCommand(which)),
      lambda.send(new GetFunctionConfigurationCommand(which)),
    ]);
    const callers = of('Lambda::Permission').flatMap((it) => {
      const { FunctionName: of, Principal } = template.Resources[it.logicalId]?.Properties ?? {};
      return isDeepStrictEqual(of, { 'Fn::GetAtt': [logicalId, 'Arn'] }) ? [{ id: it.id, Principal }] : [];
    });
    for (const { Sid = '', Principal } of statementsIn(policy?.Policy)) {
      const said = JSON.stringify(Principal);
      if (!callers.some((it) => it.id === Sid && said.includes(`"${String(it.Principal)}"`)))
        found.push(`${logicalId} may be called by ${said} (${Sid}) too`);
    }
    if (url && !(hasUrl && logicalId === 'DoorLambdaFunction')) found.push(`${logicalId} has a public address`);
    const declared = template.Resources[logicalId]?.Properties?.['ReservedConcurrentExecutions'];
    if (reserved !== undefined && declared === undefined)
      found.push(`${logicalId} has a reserve of ${reserved}: more is throttled`);
    if (!(Date.parse(LastModified) <= deployedAt.getTime() + deploymentMs))
      found.push(`${logicalId} was changed at ${LastModified}, after the last deployment`);
    return found;
  });
}

function queues({ of, sqs }: DeployedStack): Promise<string[]> {
  return ofEach(of('SQS::Queue'), async ({ logicalId, id: QueueUrl }) => {
    const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['Policy'] }));
    return statementsIn(Attributes?.['Policy'])
      .filter(
        // The name of a statement alone is no proof: the writer of a policy writes it too.
        ({ Effect, Sid, Principal }) =>
          Effect === 'Allow' &&
          !(
            of('Events::Rule').some((it) => it.logicalId === Sid) &&
            isDeepStrictEqual(Principal, { Service: 'events.amazonaws.com' })
          ),
      )
      .map(({ Principal, Action }) => `${logicalId} lets ${JSON.stringify(Principal)} ${JSON.stringify(Action)}`);
  });
}

async function data({ of, dynamodb, kms, secrets }: DeployedStack): Promise<readonly string[]> {
  const tables = ofEach(of('DynamoDB::Table'), async ({ logicalId, id: TableName }) => {
    const { Table = {} } = await dynamodb.send(new DescribeTableCommand({ TableName }));
    const policy = await ifThere(dynamodb.send(new GetResourcePolicyCommand({ ResourceArn: Table.TableArn ?? '' })));
    return [
      ...(policy?.Policy ? [`${logicalId} has a policy of its own: ${policy.Policy}`] : []),
      ...(Table.StreamSpecification?.StreamEnabled ? [`${logicalId} has a stream`] : []),
      ...(Table.Replicas ?? []).map(({ RegionName }) => `${logicalId} has a copy in ${RegionName}`),
    ];
  });
  const keys = ofEach(of('KMS::Key'), async ({ logicalId, id: KeyId }) => {
    const found: string[] = [];
    for await (const { Grants = [] } of paginateListGrants({ client: kms }, { KeyId }))
      for (const { GranteePrincipal = '', Operations = [] } of Grants)
        if (!GranteePrincipal.endsWith('.amazonaws.com'))
          found.push(`${logicalId} lets ${GranteePrincipal} ${Operations.join(', ')}`);
    return found;
  });
  const ownSecrets = ofEach(of('SecretsManager::Secret'), async ({ logicalId, id: SecretId }) => {
    const { RotationEnabled, ReplicationStatus = [] } = await secrets.send(new DescribeSecretCommand({ SecretId }));
    return [
      ...(RotationEnabled ? [`${logicalId} is rotated: no order is recognised under another key`] : []),
      ...ReplicationStatus.map(({ Region }) => `${logicalId} has a copy in ${Region}`),
    ];
  });
  return (await Promise.all([tables, keys, ownSecrets])).flat();
}

async function alarms({ name, of, idOf, cloudWatch, sns }: DeployedStack): Promise<readonly string[]> {
  const { MetricAlarms = [] } = await cloudWatch.send(
    new DescribeAlarmsCommand({ AlarmNamePrefix: `${name}-`, MaxRecords: 100 }),
  );
  const mutes = await ofEach(MetricAlarms, async ({ AlarmName }) => {
    const { AlarmMuteRuleSummaries = [] } = await cloudWatch.send(new ListAlarmMuteRulesCommand({ AlarmName }));
    const active = AlarmMuteRuleSummaries.filter(({ Status }) => Status === 'ACTIVE');
    return active.map(({ AlarmMuteRuleArn }) => `${AlarmName} is muted by ${AlarmMuteRuleArn}`);
  });
  const heard = await ofEach(['PageTopic', 'TicketTopic'], async (topic) => {
    const endpoints: string[] = [];
    for await (const page of paginateListSubscriptionsByTopic({ client: sns }, { TopicArn: idOf(topic) }))
      for (const { SubscriptionArn = '' } of page.Subscriptions ?? []) endpoints.push(SubscriptionArn);
    if (endpoints.some((arn) => arn.startsWith('arn:'))) return [];
    return [
      `no person hears ${topic}: ${endpoints.length > 0 ? 'a subscriber has not followed the link in the mail of AWS' : 'it has no subscriber'}`,
    ];
  });
  return [
    ...of('CloudWatch::Alarm')
      .filter(({ id }) => MetricAlarms.every((it) => it.AlarmName !== id))
      .map(({ id }) => `${id} is not there`),
    ...MetricAlarms.filter((it) => it.ActionsEnabled === false).map((it) => `${it.AlarmName} is muted`),
    ...mutes,
    ...heard,
  ];
}
