// The one place that makes clients of SecretsManager, for functions, workers and tools alike: each with deadlines of ours.
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { clientsOf } from './aws-calls.ts';

/** A client of Secrets Manager. */
export const newSecretsManagerClient = clientsOf(SecretsManagerClient);
