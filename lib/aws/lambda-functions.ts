// Functions as others invoke them: one call, one answer, and nothing tried again.
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type AwsClientOptions, clientsOf } from './aws-calls.ts';

/** The client for functions. */
export const newLambdaClient = clientsOf(LambdaClient, 'lambda');

/** The wait for the invoked function: longer than its own time-out, shorter than that of the function that invokes it. */
const invocationMs = 18_000;

/** A client that waits so long, and never tries again: only the called function knows whether a second call is harmless. */
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

/** Invokes the function and answers with what it returned. Rejects if it failed, or may have failed. */
export function createInvoking(client: LambdaClient, FunctionName: string): (message: object) => Promise<unknown> {
  return async (message) => {
    const Payload = Buffer.from(JSON.stringify(message));
    const answer = await client.send(new InvokeCommand({ FunctionName, Payload }));
    const text = Buffer.from(answer.Payload ?? []).toString('utf8');
    if (answer.FunctionError !== undefined) throw new Error(`${FunctionName} failed`);
    return JSON.parse(text);
  };
}
