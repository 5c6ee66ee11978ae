// Invokes a Lambda function: one call, one answer, no retry.
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, clientsOf } from './aws-calls.ts';

/** Makes a client of Lambda. */
export const newLambdaClient = clientsOf(LambdaClient, 'lambda');

/** How long to wait for the invoked function: longer than its time-out, shorter than the caller's. */
const invocationMs = 18_000;

/** A client that waits that long and does not retry: the client cannot know whether a second call is harmless. */
export const newInvokingClient = (options: AwsClientOptions): LambdaClient =>
  newLambdaClient({
    ...options,
    limits: {
      ...options.limits,
      awsAttempts: 1,
      awsRequestTimeoutMs: invocationMs,
      awsCallTimeoutMs: invocationMs,
    },
  });

/** Invokes the function and returns its answer. Rejects if it failed, or may have failed. */
export function createInvoking(client: LambdaClient, FunctionName: string): (message: object) => Promise<unknown> {
  return async (message) => {
    const Payload = Buffer.from(JSON.stringify(message));
    const answer = await client.send(new InvokeCommand({ FunctionName, Payload }));
    const text = Buffer.from(answer.Payload ?? []).toString('utf8');
    if (answer.FunctionError !== undefined) throw new Error(`${FunctionName} failed`);
    return JSON.parse(text);
  };
}
