// What a first job costs at the least: the same calls as the Powertools design, by node:http and twenty lines of signing.
// It has no deadline, repeats nothing, and believes every answer: a floor to measure by, never a worker.
import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { type PeerJob, type PeerSecret, readAnswer, signedPayout } from './peer-order.ts';

// Named imports would load what the module only offers (undici).
const { request: overHttp } = process.getBuiltinModule('node:http');
const { request: overTls } = process.getBuiltinModule('node:https');

const {
  AWS_REGION = '',
  AWS_ACCESS_KEY_ID = '',
  AWS_SECRET_ACCESS_KEY = '',
  IDEMPOTENCY_TABLE: TableName,
} = process.env;

function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? overTls : overHttp;
    const heard = (answer: IncomingMessage) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    };
    request(url, { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } }, heard)
      .on('error', reject)
      .end(body);
  });
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/** The services by the names that their settings, their signatures and their operations have. */
const services = {
  DYNAMODB: { signed: 'dynamodb', operations: 'DynamoDB_20120810' },
  SECRETS_MANAGER: { signed: 'secretsmanager', operations: 'secretsmanager' },
  SQS: { signed: 'sqs', operations: 'AmazonSQS' },
} as const;

async function call(
  service: keyof typeof services,
  operation: string,
  input: object,
): Promise<Record<string, unknown>> {
  const { signed, operations } = services[service];
  const url = new URL(process.env[`AWS_ENDPOINT_URL_${service}`] ?? '');
  const body = JSON.stringify(input);
  const at = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    host: url.host,
    'x-amz-date': at,
    'x-amz-target': `${operations}.${operation}`,
  };
  const scope = `${at.slice(0, 8)}/${AWS_REGION}/${signed}/aws4_request`;
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = `POST\n/\n\n${lines.join('')}\n${names}\n${sha256(body)}`;
  const dayKey = hmac(`AWS4${AWS_SECRET_ACCESS_KEY}`, at.slice(0, 8));
  const key = hmac(hmac(hmac(dayKey, AWS_REGION), signed), 'aws4_request');
  const signature = hmac(key, `AWS4-HMAC-SHA256\n${at}\n${scope}\n${sha256(canonical)}`).toString('hex');
  const credential = `Credential=${AWS_ACCESS_KEY_ID}/${scope}`;
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  const { status, text } = await post(url, { ...headers, authorization }, body);
  if (status !== 200) throw new Error(`${operation} was answered ${status}`);
  return JSON.parse(text) as Record<string, unknown>;
}

let secret: Promise<PeerSecret> | undefined;

async function readSecret(merchant: string): Promise<PeerSecret> {
  const { SecretString } = await call('SECRETS_MANAGER', 'GetSecretValue', { SecretId: `payouts/${merchant}` });
  return JSON.parse(String(SecretString)) as PeerSecret;
}

async function takeOne(text: string): Promise<void> {
  const job = JSON.parse(text) as PeerJob;
  const Key = { id: { S: `${job.merchant}/${job.orderId}` } };
  await call('DYNAMODB', 'PutItem', { TableName, Item: Key, ConditionExpression: 'attribute_not_exists(id)' });
  const { url, body, headers } = signedPayout(job, await (secret ??= readSecret(job.merchant)));
  const answer = await post(new URL(url), headers, body);
  const result = readAnswer(job, answer.status, answer.text);
  const change = { UpdateExpression: 'SET r = :r', ExpressionAttributeValues: { ':r': { S: answer.text } } };
  await call('DYNAMODB', 'UpdateItem', { TableName, Key, ...change });
  await call('SQS', 'SendMessage', { QueueUrl: process.env['RESULTS_QUEUE_URL'], MessageBody: JSON.stringify(result) });
}

/** Called for each batch of the jobs queue. */
export async function handler({ Records }: SQSEvent): Promise<SQSBatchResponse> {
  await Promise.all(Records.map(({ body }) => takeOne(body)));
  return { batchItemFailures: [] };
}
