// The one place that makes clients of STS, for functions, workers and tools alike: each with deadlines of ours.
import { STSClient } from '@aws-sdk/client-sts';
import { clientsOf } from './aws-calls.ts';

/** A client of STS. */
export const newStsClient = clientsOf(STSClient);
