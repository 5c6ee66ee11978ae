// Secrets Manager for the embedded environment: its JSON 1.1 protocol over loopback HTTP, held in memory, so that the
// real SDK client fetches merchants' credentials as it does in AWS. Values are never logged or put into an error text.
import { put, ServiceError, type Vault, vaultOperations } from './secrets-vault.ts';
import { type AwsAnswer, startAwsEndpoint } from './aws-endpoint.ts';

/** The endpoint's address and its controls; the controls act at once, without HTTP. */
export type SecretsManagerEndpoint = Awaited<ReturnType<typeof startSecretsManagerEndpoint>>;

type Script = { failures: number; failure: string | number; readonly counts: Map<string, number> };

function errorReply(type: string, message: string): AwsAnswer {
  // Secrets Manager answers 400 for every named error but its own failure.
  const status = type === 'InternalServiceError' ? 500 : 400;
  return { status, body: JSON.stringify({ __type: type, Message: message }) };
}

function scriptedFailure(script: Script): AwsAnswer | undefined {
  if (script.failures === 0) return undefined;
  script.failures -= 1;
  const { failure } = script;
  return typeof failure === 'number' ? { status: failure, body: '' } : errorReply(failure, 'A scripted failure.');
}

function perform(vault: Vault, target: string, body: string): AwsAnswer {
  const operation = vaultOperations[target];
  if (!operation) return errorReply('UnknownOperationException', `Not emulated: ${target}`);
  try {
    return { status: 200, body: JSON.stringify(operation(vault, JSON.parse(body))) };
  } catch (error) {
    if (error instanceof ServiceError) return errorReply(error.type, error.message);
    // The parser's own text would quote the request, and with it a secret.
    return errorReply('SerializationException', 'The request is not the JSON this operation expects.');
  }
}

/** Starts the endpoint on a free loopback port. */
export async function startSecretsManagerEndpoint() {
  const vault: Vault = new Map();
  const script: Script = { failures: 0, failure: 500, counts: new Map() };
  const endpoint = await startAwsEndpoint(async ({ target, body }) => {
    const name = target.replace('secretsmanager.', '');
    script.counts.set(name, (script.counts.get(name) ?? 0) + 1);
    return scriptedFailure(script) ?? perform(vault, target, body);
  });
  return {
    ...endpoint,
    /**
     * Stores a new version and returns its VersionId; a string is stored as it is, for secrets that are not JSON.
     * `stage` defaults to AWSCURRENT; AWSPENDING is a rotation that has not happened yet.
     */
    put: (name: string, json: object | string, stage?: string): string => put(vault, name, json, stage),
    /**
     * The next `count` requests fail, with a named error of the service or with a bare HTTP status; 0 ends it.
     * The SDK's own retries are requests too: a client with its default of 3 attempts hides a count of 1 or 2.
     */
    failNext: (count: number, failure: string | number): void =>
      void Object.assign(script, { failures: count, failure }),
    /** Requests received so far, failed ones included, by operation name (`GetSecretValue`). */
    requests: (): Readonly<Record<string, number>> => Object.fromEntries(script.counts),
  };
}
