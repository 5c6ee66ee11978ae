// The one place that makes clients of DynamoDB, for functions, workers and tools alike: the SDK's own, with deadlines of
// ours.
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';

/** A client by the standard environment; `where` names another endpoint, region or credentials. */
export function newDynamoDbClient(options: AwsClientOptions, where: DynamoDBClientConfig = {}): DynamoDBClient {
  return bounded(new DynamoDBClient({ ...clientSettings(options.limits), ...where }), options);
}
