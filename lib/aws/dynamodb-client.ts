// The one place that makes clients of DynamoDB, for functions, workers and tools alike: the SDK's own, with deadlines of
// ours.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { clientsOf } from './aws-calls.ts';

/** A client of DynamoDB. */
export const newDynamoDbClient = clientsOf(DynamoDBClient);
