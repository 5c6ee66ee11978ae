// The one place that makes clients of SQS, for functions, workers and tools alike: each with deadlines of ours.
import { SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';

/** A client by the standard environment; `where` names another endpoint, region or credentials. */
export function newSqsClient(options: AwsClientOptions, where: SQSClientConfig = {}): SQSClient {
  return bounded(new SQSClient({ ...clientSettings(options.limits), ...where }), options);
}
