// The one place that makes clients of Lambda, for doctor, roll-back and sweeper; with deadlines of ours.
import { LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';

/** A client by the standard environment. */
export function newLambdaClient(options: AwsClientOptions): LambdaClient {
  return bounded(new LambdaClient(clientSettings(options.limits)), options);
}
