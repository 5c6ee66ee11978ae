// The one place that makes clients of KMS, for functions, workers and tools alike: each with deadlines of ours.
import { KMSClient, type KMSClientConfig } from '@aws-sdk/client-kms';
import { type AwsClientOptions, bounded, clientSettings } from './aws-calls.ts';

/** A client by the standard environment; `where` names another endpoint, region or credentials. */
export function newKmsClient(options: AwsClientOptions, where: KMSClientConfig = {}): KMSClient {
  return bounded(new KMSClient({ ...clientSettings(options.limits), ...where }), options);
}

/** One client for all who may need one, made when the first of them does. */
export function kmsClientOnDemand(options: AwsClientOptions): () => KMSClient {
  let client: KMSClient | undefined;
  return () => (client ??= newKmsClient(options));
}
