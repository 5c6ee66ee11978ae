// The one place that makes clients of Lambda, for doctor, roll-back and sweeper; with deadlines of ours.
import { LambdaClient } from '@aws-sdk/client-lambda';
import { clientsOf } from './aws-calls.ts';

/** A client of Lambda. */
export const newLambdaClient = clientsOf(LambdaClient);
