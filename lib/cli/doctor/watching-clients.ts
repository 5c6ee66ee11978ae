// The one place that makes the clients of services that only an operator's tool asks; with deadlines of ours.
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import { SNSClient } from '@aws-sdk/client-sns';
import { type AwsClientOptions, bounded, clientSettings } from '../../aws/aws-calls.ts';

/** The client for stacks. */
export function newCloudFormationClient(options: AwsClientOptions): CloudFormationClient {
  return bounded(new CloudFormationClient(clientSettings(options.limits)), options);
}

/** The client for roles and policies. */
export function newIamClient(options: AwsClientOptions): IAMClient {
  return bounded(new IAMClient(clientSettings(options.limits)), options);
}

/** The client for alarms. */
export function newCloudWatchClient(options: AwsClientOptions): CloudWatchClient {
  return bounded(new CloudWatchClient(clientSettings(options.limits)), options);
}

/** The client for log groups. */
export function newLogsClient(options: AwsClientOptions): CloudWatchLogsClient {
  return bounded(new CloudWatchLogsClient(clientSettings(options.limits)), options);
}

/** The client for the topics of alarms. */
export function newSnsClient(options: AwsClientOptions): SNSClient {
  return bounded(new SNSClient(clientSettings(options.limits)), options);
}

/** The client for schedules and rules. */
export function newEventBridgeClient(options: AwsClientOptions): EventBridgeClient {
  return bounded(new EventBridgeClient(clientSettings(options.limits)), options);
}
