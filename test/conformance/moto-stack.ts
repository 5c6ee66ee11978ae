// The stack in moto's CloudFormation, deployed by osls itself: the commands of infra/docs/deploying.md, without a build.
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { ApprovalMaker } from '../../lib/batches/approval.ts';
import { createDynamoDbSafeguards } from '../../lib/batches/dynamodb-safeguards.ts';
import { readContract } from '../../lib/aws/merchant-secret.ts';
import { readWorkerConfig } from '../../lib/aws/env-config.ts';
import { createDynamoDbTables } from '../../lib/restore/dynamodb-known-tables.ts';
import { recordOf } from '../../lib/restore/known-tables.ts';
import { unregistered, writeSafeguards } from '../../lib/batches/safeguards.ts';
import { bundleFunction, functionNames } from '../../infra/bundle.ts';
import { type MerchantSecrets, workerSecret } from '../../lib/local/sample-merchants.ts';
import { serviceCopy } from '../infra/packaged.ts';
import { fakeCredentials } from './table.ts';

const root = join(import.meta.dirname, '../..');
const region = 'eu-central-1';

/** Nothing of this machine's own settings can lead to AWS. */
export const onlyMoto = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: region,
  AWS_ACCESS_KEY_ID: fakeCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: fakeCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: '',
  AWS_PROFILE: '',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
});

/** A directory with the service and its bundles, whose stage files may be edited. */
export async function serviceWithCode(): Promise<string> {
  const service = serviceCopy();
  for (const name of functionNames()) await bundleFunction(name, join(service, 'dist'));
  cpSync(join(root, 'lib'), join(service, 'lib'), { recursive: true });
  return service;
}

/** Runs a program of the service against moto; what it printed. Rejects if it fails. */
export async function runThere(
  service: string,
  url: string,
  script: 'osls' | 'preview',
  ...args: string[]
): Promise<string> {
  const file =
    script === 'osls' ? join(root, 'node_modules/osls/bin/serverless.js') : join(service, 'infra/preview.ts');
  const env = { PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`, ...onlyMoto(url) };
  const { stdout } = await promisify(execFile)(process.execPath, [file, ...args], {
    cwd: service,
    env,
    maxBuffer: 1e8,
  });
  return stdout;
}

/** CloudFormation makes the worker's secret out of a random string; moto makes none. */
export async function makeWorkerSecret(url: string, stage: string): Promise<void> {
  const client = new SecretsManagerClient({ region, endpoint: url, credentials: fakeCredentials });
  const SecretString = JSON.stringify(workerSecret());
  await client.send(new CreateSecretCommand({ Name: `payouts/${stage}/_worker`, SecretString }));
  client.destroy();
}

/** The settings of a function as it was deployed. moto names queues that CloudFormation made by AWS's address. */
export async function environmentOf(url: string, functionName: string): Promise<Record<string, string>> {
  const answer = (await call(url, 'GET', `/2015-03-31/functions/${functionName}/configuration`)) as {
    Environment: { Variables: Record<string, unknown> };
  };
  const local = (value: unknown) => String(value).replace(/^https:\/\/sqs\.[^/]+/, url);
  return Object.fromEntries(Object.entries(answer.Environment.Variables).map(([name, it]) => [name, local(it)]));
}

/** Switches the mappings of a stage off: moto would take each message off its queue and call the function in Docker. */
export async function pauseMappings(url: string, stage: string): Promise<void> {
  const path = '/2015-03-31/event-source-mappings/';
  const answer = (await call(url, 'GET', path)) as { EventSourceMappings: { UUID: string; FunctionArn: string }[] };
  const own = answer.EventSourceMappings.filter((it) => it.FunctionArn.includes(`:function:payouts-${stage}-`));
  for (const { UUID } of own) await call(url, 'PUT', path + UUID, '{"Enabled":false}');
}

/** For a shell that has read the outputs. */
export const queuesOfMoto = (url: string): string =>
  `for name in JOBS BATCH_JOBS DEAD_LETTER RESULTS CHECKS REFERENCES; do eval "export \${name}_QUEUE_URL=$(printenv \${name}_QUEUE_URL | sed 's#https://sqs[^/]*#${url}#')"; done\n`;

/** A call of Lambda's API; moto reads account and region out of the header, and checks no signature. */
async function call(url: string, method: string, path: string, body?: string): Promise<unknown> {
  const credential = `${fakeCredentials.accessKeyId}/20260101/${region}/lambda/aws4_request`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=fake`;
  const answer = await fetch(url + path, { method, headers: { authorization }, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`moto refused ${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** An approver's word for the tables, and for each merchant: its login, one person, no cap. Without it their jobs wait. */
export async function letAllGo(
  merchants: Readonly<Record<string, MerchantSecrets>>,
  settings: Readonly<Record<string, string>>,
  endpoint: string,
  maker: ApprovalMaker,
): Promise<void> {
  const where = { region, endpoint, credentials: fakeCredentials };
  const client = new DynamoDBClient(where);
  const config = readWorkerConfig(settings);
  const { batchesTableName: tableName } = config;
  const secrets = new SecretsManagerClient(where);
  const tables = createDynamoDbTables(config, { dynamodb: client, secrets });
  const begun = { by: 'approver', atMs: Date.now() };
  const record = await recordOf(await tables.described(), begun, maker);
  if (!(await tables.store({ record }, await tables.stored()))) throw new Error('another ledger was begun');
  secrets.destroy();
  const store = createDynamoDbSafeguards({ client, tableName });
  const its = { twoPersonRelease: false, caps: {}, by: 'arn:aws:iam::000000000000:user/approver', atMs: Date.now() };
  for (const [merchant, { contract }] of Object.entries(merchants)) {
    const logins = unregistered(readContract(JSON.stringify(contract), ''), { logins: [] });
    await writeSafeguards(merchant, { ...its, logins }, { store, maker });
  }
  client.destroy();
}

/** Lays merchants' secrets below a prefix. */
export async function putSecrets(
  endpoint: string,
  prefix: string,
  secrets: Readonly<Record<string, object>>,
): Promise<void> {
  const client = new SecretsManagerClient({ region, endpoint, credentials: fakeCredentials });
  for (const [name, secret] of Object.entries(secrets))
    await client.send(new CreateSecretCommand({ Name: prefix + name, SecretString: JSON.stringify(secret) }));
  client.destroy();
}
