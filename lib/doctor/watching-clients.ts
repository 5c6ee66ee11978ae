// The one place that makes the clients of services that only an operator's tool asks; with deadlines of ours.
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { IAMClient } from '@aws-sdk/client-iam';
import { SNSClient } from '@aws-sdk/client-sns';
import { clientsOf } from '../aws/aws-calls.ts';

/** The client for stacks. */
export const newCloudFormationClient = clientsOf(CloudFormationClient);

/** The client for roles and policies. */
export const newIamClient = clientsOf(IAMClient);

/** The client for alarms. */
export const newCloudWatchClient = clientsOf(CloudWatchClient);

/** The client for the topics of alarms. */
export const newSnsClient = clientsOf(SNSClient);
