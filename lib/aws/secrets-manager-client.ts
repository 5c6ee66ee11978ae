// The one place that makes clients of SecretsManager, for functions, workers and tools alike: each with deadlines of ours.
import { SecretsManagerClient, type SecretsManagerClientConfig } from '@aws-sdk/client-secrets-manager';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';

/** A client by the standard environment; `where` names another endpoint, region or credentials. */
export function newSecretsManagerClient(
  options: AwsClientOptions,
  where: SecretsManagerClientConfig = {},
): SecretsManagerClient {
  return bounded(new SecretsManagerClient({ ...clientSettings(options.limits), ...where }), options);
}
