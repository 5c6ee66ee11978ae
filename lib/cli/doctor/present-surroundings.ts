// The surroundings of the functions, as they are in the account: rights, schedules, alarms and logs.
import { type CloudWatchClient, DescribeAlarmsCommand, type MetricAlarm } from '@aws-sdk/client-cloudwatch';
import {
  type CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  DescribeSubscriptionFiltersCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DescribeRuleCommand, type EventBridgeClient, ListTargetsByRuleCommand } from '@aws-sdk/client-eventbridge';
import {
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  type IAMClient,
  paginateListAttachedRolePolicies,
  paginateListRolePolicies,
} from '@aws-sdk/client-iam';
import { GetSubscriptionAttributesCommand, GetTopicAttributesCommand, type SNSClient } from '@aws-sdk/client-sns';
import { listOf } from '../../doctor/stack.ts';
import { patientAwsCalls } from '../../payout/limits.ts';
import { parsed, type Reader } from './present.ts';
import {
  newCloudWatchClient,
  newEventBridgeClient,
  newIamClient,
  newLogsClient,
  newSnsClient,
} from './watching-clients.ts';

type Readers = Readonly<Record<string, Reader>>;

const aws = { limits: patientAwsCalls };

/** The readers. */
export function surroundingReaders(): Readers {
  return {
    ...ofPeople(newIamClient(aws)),
    ...ofTopics(newSnsClient(aws)),
    ...ofAlarms(newCloudWatchClient(aws)),
    ...ofLogs(newLogsClient(aws)),
    ...ofSchedules(newEventBridgeClient(aws)),
  };
}

/** IAM gives documents percent-encoded. */
const document = (text: string | undefined) => parsed(decodeURIComponent(text ?? ''));

function ofPeople(iam: IAMClient): Readers {
  return {
    'AWS::IAM::Role': async (RoleName) => {
      const { Role } = await iam.send(new GetRoleCommand({ RoleName }));
      const Policies: object[] = [];
      for await (const { PolicyNames } of paginateListRolePolicies({ client: iam }, { RoleName }))
        for (const PolicyName of PolicyNames ?? []) {
          const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
          Policies.push({ PolicyName, PolicyDocument: document(PolicyDocument) });
        }
      const attached: string[] = [];
      for await (const page of paginateListAttachedRolePolicies({ client: iam }, { RoleName }))
        attached.push(...(page.AttachedPolicies ?? []).map(({ PolicyArn = '' }) => PolicyArn));
      return {
        properties: {
          AssumeRolePolicyDocument: document(Role?.AssumeRolePolicyDocument),
          PermissionsBoundary: Role?.PermissionsBoundary?.PermissionsBoundaryArn,
          Policies: Policies.length > 0 ? Policies : undefined,
          ManagedPolicyArns: attached.length > 0 ? attached : undefined,
        },
      };
    },
    'AWS::IAM::ManagedPolicy': async (PolicyArn) => {
      const { Policy } = await iam.send(new GetPolicyCommand({ PolicyArn }));
      const VersionId = Policy?.DefaultVersionId ?? '';
      const { PolicyVersion } = await iam.send(new GetPolicyVersionCommand({ PolicyArn, VersionId }));
      return { properties: { PolicyDocument: document(PolicyVersion?.Document) } };
    },
  };
}

function ofTopics(sns: SNSClient): Readers {
  const attributesOf = async (TopicArn: string) =>
    (await sns.send(new GetTopicAttributesCommand({ TopicArn }))).Attributes ?? {};
  return {
    'AWS::SNS::Topic': async (topicArn) => {
      const { KmsMasterKeyId } = await attributesOf(topicArn);
      return { properties: { KmsMasterKeyId: KmsMasterKeyId || undefined } };
    },
    'AWS::SNS::TopicPolicy': async (_, { Topics }) => {
      const [topicArn = ''] = listOf(Topics).map(String);
      const { Policy } = await attributesOf(topicArn);
      return Policy ? { properties: { PolicyDocument: parsed(Policy) } } : 'gone';
    },
    'AWS::SNS::Subscription': async (SubscriptionArn) => {
      const { Attributes = {} } = await sns.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
      const { Protocol, Endpoint, FilterPolicy, PendingConfirmation } = Attributes;
      return {
        properties: {
          Protocol,
          Endpoint,
          FilterPolicy: parsed(FilterPolicy),
          // A subscriber who has not followed the link of the mail receives nothing.
          PendingConfirmation: PendingConfirmation === 'true' ? 'true: they hear nothing' : undefined,
        },
      };
    },
  };
}

function ofAlarms(cloudWatch: CloudWatchClient): Readers {
  return {
    'AWS::CloudWatch::Alarm': async (name, { DatapointsToAlarm: said }) => {
      const { MetricAlarms = [] } = await cloudWatch.send(new DescribeAlarmsCommand({ AlarmNames: [name] }));
      const [alarm] = MetricAlarms;
      if (!alarm) return 'gone';
      const { DatapointsToAlarm: points, EvaluationPeriods } = alarm;
      // Where nothing is said of them, AWS takes all of them, and may say so.
      const DatapointsToAlarm = said === undefined && points === EvaluationPeriods ? undefined : points;
      return { properties: { ...listeningOf(alarm), DatapointsToAlarm } };
    },
  };
}

function listeningOf(it: MetricAlarm): Readonly<Record<string, unknown>> {
  const { Namespace, MetricName, Dimensions, Statistic, ExtendedStatistic, Period, Metrics, ActionsEnabled } = it;
  const { Threshold, ComparisonOperator, EvaluationPeriods, TreatMissingData, Unit } = it;
  const { AlarmActions, OKActions, InsufficientDataActions } = it;
  // An alarm over an expression has these in each of its metrics instead.
  const single = { Namespace, MetricName, Dimensions, Statistic, ExtendedStatistic, Period, Unit };
  return {
    ...(Metrics?.length ? { Metrics } : single),
    Threshold,
    ComparisonOperator,
    EvaluationPeriods,
    TreatMissingData,
    ActionsEnabled: ActionsEnabled === false ? false : undefined,
    AlarmActions,
    OKActions: OKActions?.length ? OKActions : undefined,
    InsufficientDataActions: InsufficientDataActions?.length ? InsufficientDataActions : undefined,
  };
}

function ofLogs(logs: CloudWatchLogsClient): Readers {
  return {
    'AWS::Logs::LogGroup': async (logGroupName) => {
      const { logGroups = [] } = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: logGroupName }));
      const own = logGroups.find((it) => it.logGroupName === logGroupName);
      if (!own) return 'gone';
      const { subscriptionFilters = [] } = await logs.send(new DescribeSubscriptionFiltersCommand({ logGroupName }));
      const filters = subscriptionFilters.map(({ filterName, destinationArn: DestinationArn }) => {
        return [
          `Filter ${filterName}`,
          { Type: 'AWS::Logs::SubscriptionFilter', Properties: { DestinationArn } },
        ] as const;
      });
      return {
        properties: { RetentionInDays: own.retentionInDays, KmsKeyId: own.kmsKeyId },
        beside: Object.fromEntries(filters),
      };
    },
  };
}

function ofSchedules(events: EventBridgeClient): Readers {
  return {
    'AWS::Events::Rule': async (physicalId) => {
      const [Name = '', EventBusName] = physicalId.split('|').toReversed();
      const bus = { ...(EventBusName !== undefined && { EventBusName }) };
      const it = await events.send(new DescribeRuleCommand({ Name, ...bus }));
      const { Targets = [] } = await events.send(new ListTargetsByRuleCommand({ Rule: Name, ...bus }));
      return {
        properties: {
          State: it.State,
          ScheduleExpression: it.ScheduleExpression || undefined,
          EventPattern: parsed(it.EventPattern),
          Targets,
        },
      };
    },
  };
}
