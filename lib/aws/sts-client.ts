// The one place that makes clients of STS, for functions, workers and tools alike: each with deadlines of ours.
import { STSClient, type STSClientConfig } from '@aws-sdk/client-sts';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';

/** A client by the standard environment; `where` names another endpoint, region or credentials. */
export function newStsClient(options: AwsClientOptions, where: STSClientConfig = {}): STSClient {
  return bounded(new STSClient({ ...clientSettings(options.limits), ...where }), options);
}
