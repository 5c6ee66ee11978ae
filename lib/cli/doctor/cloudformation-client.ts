// The one place that makes clients of CloudFormation, which only doctor and roll-back ask; with deadlines of ours.
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { type AwsClientOptions, bounded, clientSettings } from '../../aws/aws-calls.ts';

/** A client by the standard environment. */
export function newCloudFormationClient(options: AwsClientOptions): CloudFormationClient {
  return bounded(new CloudFormationClient(clientSettings(options.limits)), options);
}
