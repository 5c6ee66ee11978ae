// AWS on this machine: fauxqs (SQS), dynalite (DynamoDB) and endpoints of Secrets Manager, STS and KMS in this process, in memory,
// on free loopback ports. The real SDK clients are pointed at it by the environment alone.
import dynalite from 'dynalite';
import { type IncomingMessage, Server } from 'node:http';
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { newDynamoDbClient } from '../aws/dynamodb-table.ts';
import {
  batchesTableDefinition,
  ledgerTableDefinition,
  plainTableDefinition,
  waitingTableDefinition,
} from './ledger-table.ts';
import { localCalls } from './local-limits.ts';
import type { Safeguards } from '../gateway/profile.ts';
import { readContract } from '../aws/merchant-secret.ts';
import type { ApprovalMaker } from '../batches/approval.ts';
import { describedTables } from '../restore/dynamodb-known-tables.ts';
import { recordOf, type StoredTables } from '../restore/known-tables.ts';
import { createDynamoDbSafeguards } from '../batches/dynamodb-safeguards.ts';
import { isLogin, safeguardsIn, unregistered, writeSafeguards } from '../batches/safeguards.ts';
import { judgeAsSqs } from './sqs-as-aws.ts';
import { startKmsEndpoint } from './kms-endpoint.ts';
import { startSecretsManagerEndpoint, type SecretsManagerEndpoint } from './secrets-manager-endpoint.ts';
import { isOwnRequest, listenOnLoopback, type OwnEndpoint } from './own-hosts.ts';
import { newSqsClient } from '../aws/sqs-queues.ts';
import { randomUUID } from 'node:crypto';
import { startAwsEndpoint } from './aws-endpoint.ts';

/** Settings that may differ from the defaults. */
interface EmbeddedAwsOptions {
  /** Receives of a job before its queue moves it to the dead-letter queue; default 5. */
  readonly maxReceiveCount?: number;
  /** Visibility time-out of both queues of jobs, whole seconds; default 30, as in SQS. */
  readonly visibilityTimeoutSeconds?: number;
}

/** The queues the system uses; the results queue and the dead-letter queue have no redrive policy of their own. */
export interface QueueUrls {
  readonly jobs: string;
  /** Rows of batches; its dead-letter queue is the same. */
  readonly batchJobs: string;
  readonly jobsDeadLetter: string;
  readonly results: string;
  /** Inquiries that are still to be made at the gateway. */
  readonly checks: string;
  /** References to parked jobs. */
  readonly references: string;
}

/** A running environment. */
export interface EmbeddedAws extends TableNames {
  /** To be laid over the process's environment; credentials are obviously fake. */
  readonly environment: Record<string, string>;
  /** The same for another person, who alone may approve batches; to be laid over it. */
  readonly secondOperator: Record<string, string>;
  readonly queueUrls: QueueUrls;
  /** A merchant's secret gets safeguards by the second operator: one person, no cap, until others are written. */
  readonly secrets: SecretsManagerEndpoint;
  /** The ids of the tables, as the secret `payouts/_ledger` has them. */
  readonly tablesRecord: StoredTables;
  /** The logins of all contracts that were put are registered. */
  registered(): Promise<void>;
  /** Writes a merchant's safeguards, as the second operator. */
  safeguard(merchant: string, its: Safeguards): Promise<void>;
  /** Ends every server and drops all data; open long polls are cut. */
  close(): Promise<void>;
}

type Endpoint = { readonly url: string; readonly close: () => Promise<unknown> };
type ClientConfig = {
  readonly region: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
};

const region = 'eu-central-1';
const credentials = { accessKeyId: 'FAKE-LOCAL-KEY-ID', secretAccessKey: 'fake-local-secret-key' };
/** A second person at this machine. */
const secondOperator = {
  AWS_ACCESS_KEY_ID: 'FAKE-SECOND-KEY-ID',
  AWS_SECRET_ACCESS_KEY: 'fake-second-secret-key',
};
const users = new Map([
  [credentials.accessKeyId, 'first-operator'],
  [secondOperator.AWS_ACCESS_KEY_ID, 'second-operator'],
]);
type TableNames = Readonly<typeof tables>;
/** The tables by the settings that name them. */
const tables = {
  ledgerTableName: 'payouts-ledger',
  cardKeysTableName: 'payouts-card-keys',
  batchesTableName: 'payouts-batches',
  controlsTableName: 'payouts-controls',
  waitingTableName: 'payouts-waiting',
};
const deadLetterRetentionSeconds = 14 * 24 * 60 * 60;

async function startQueues(): Promise<Endpoint> {
  // buildApp rather than startFauxqs: the latter listens on every interface.
  const app = buildApp({ logger: false });
  await judgeAsSqs(app);
  app.addHook('onRequest', async (request, reply) => {
    if (!isOwnRequest(request.headers)) await reply.code(403).send();
  });
  app.addHook('preSerialization', async (request, _reply, payload) => {
    // fauxqs names its queues http://sqs.<region>.localhost:<port>/…, which needs a resolver that knows *.localhost.
    const local = (queueUrl: string): string => `http://${request.headers.host}${new URL(queueUrl).pathname}`;
    const answer = payload as { QueueUrl?: string; QueueUrls?: string[]; Messages?: { ReceiptHandle: string }[] };
    if (answer.QueueUrl) return { ...answer, QueueUrl: local(answer.QueueUrl) };
    if (answer.QueueUrls) return { ...answer, QueueUrls: answer.QueueUrls.map(local) };
    if (answer.Messages && request.raw.socket.destroyed) await app.inject(giveBack(request.body, answer.Messages));
    return answer;
  });
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() };
}

/**
 * fauxqs lets a long poll run on when its client is gone, and hands it the next messages: a worker that has stopped
 * would hide them from its successor for a whole visibility time-out. They are made visible again at once.
 */
function giveBack(receive: unknown, messages: readonly { ReceiptHandle: string }[]) {
  const { QueueUrl } = receive as { QueueUrl: string };
  const Entries = messages.map(({ ReceiptHandle }, index) => ({
    Id: String(index),
    ReceiptHandle,
    VisibilityTimeout: 0,
  }));
  return {
    method: 'POST' as const,
    url: '/',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'AmazonSQS.ChangeMessageVisibilityBatch',
    },
    payload: JSON.stringify({ QueueUrl, Entries }),
  };
}

const account = '000000000000';

const identityOf = (user: string) => `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <GetCallerIdentityResult>
    <Arn>arn:aws:iam::${account}:user/${user}</Arn><UserId>AIDA${user.toUpperCase()}</UserId><Account>${account}</Account>
  </GetCallerIdentityResult>
  <ResponseMetadata><RequestId>${randomUUID()}</RequestId></ResponseMetadata>
</GetCallerIdentityResponse>`;

const refusal = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <Error><Type>Sender</Type><Code>InvalidClientTokenId</Code><Message>This access key is unknown.</Message></Error>
</ErrorResponse>`;

/** Starts it on a free loopback port; `users` names the holder of each access key. */
const startStsEndpoint = (users: ReadonlyMap<string, string>): Promise<OwnEndpoint> =>
  startAwsEndpoint(({ caller }) => {
    const user = users.get(caller);
    return user === undefined ? { status: 403, body: refusal } : { status: 200, body: identityOf(user) };
  }, 'text/xml');

async function startTables(): Promise<Endpoint> {
  const server = dynalite({ createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 });
  // dynalite's own close shuts its memory under requests that are still at work, whose failure would end this process.
  server.close = Server.prototype.close;
  server.on('request', (request: IncomingMessage) => {
    // dynalite throws from its 'error' listener: a client that goes away in mid-request would end this process.
    request.removeAllListeners('error').on('error', () => {});
  });
  return listenOnLoopback(server);
}

async function createQueues(sqs: SQSClient, options: EmbeddedAwsOptions): Promise<QueueUrls> {
  const create = async (name: string, Attributes: Record<string, string> = {}): Promise<string> => {
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes }));
    return QueueUrl ?? '';
  };
  const [jobsDeadLetter, results, checks, references] = await Promise.all([
    create('payouts-jobs-dead-letter', { MessageRetentionPeriod: String(deadLetterRetentionSeconds) }),
    create('payouts-results'),
    create('payouts-checks', { VisibilityTimeout: '60' }),
    create('payouts-references', { VisibilityTimeout: '60', MessageRetentionPeriod: '240' }),
  ]);
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: jobsDeadLetter, AttributeNames: ['QueueArn'] }),
  );
  const ofJobs = {
    VisibilityTimeout: String(options.visibilityTimeoutSeconds ?? 30),
    RedrivePolicy: JSON.stringify({
      deadLetterTargetArn: Attributes?.['QueueArn'],
      maxReceiveCount: options.maxReceiveCount ?? 5,
    }),
  };
  const [jobs, batchJobs] = await Promise.all([create('payouts-jobs', ofJobs), create('payouts-batch-jobs', ofJobs)]);
  return { jobs, batchJobs, jobsDeadLetter, results, checks, references };
}

async function createTable(dynamodb: DynamoDBClient, definition: CreateTableCommandInput): Promise<void> {
  await dynamodb.send(new CreateTableCommand(definition));
  // Not the SDK's waiter: its shortest pause is two seconds, and the table is there after one or two questions.
  for (;;) {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: definition.TableName }));
    if (Table?.TableStatus === 'ACTIVE') return;
  }
}

async function createResources(
  config: ClientConfig,
  urls: { sqs: string; dynamodb: string },
  options: EmbeddedAwsOptions,
) {
  const sqs = newSqsClient(localCalls, { ...config, endpoint: urls.sqs });
  const dynamodb = newDynamoDbClient(localCalls, { ...config, endpoint: urls.dynamodb });
  try {
    const [queueUrls] = await Promise.all([
      createQueues(sqs, options),
      createTable(dynamodb, { TableName: tables.ledgerTableName, ...ledgerTableDefinition }),
      createTable(dynamodb, { TableName: tables.batchesTableName, ...batchesTableDefinition }),
      createTable(dynamodb, { TableName: tables.cardKeysTableName, ...plainTableDefinition }),
      createTable(dynamodb, { TableName: tables.controlsTableName, ...plainTableDefinition }),
      createTable(dynamodb, { TableName: tables.waitingTableName, ...waitingTableDefinition }),
    ]);
    return queueUrls;
  } finally {
    sqs.destroy();
    dynamodb.destroy();
  }
}

/** The second operator at work: for each merchant whose contract is put, safeguards that let everything go from its logins. */
function openOffice(
  config: ClientConfig & { readonly endpoint: string },
  maker: ApprovalMaker,
  secrets: SecretsManagerEndpoint,
) {
  const client = newDynamoDbClient(localCalls, config);
  const store = createDynamoDbSafeguards({ client, tableName: tables.batchesTableName });
  const by = 'arn:aws:iam::000000000000:user/second-operator';
  let underWay = Promise.resolve();

  async function write(merchant: string, its: Partial<Safeguards>, contract?: object | string): Promise<void> {
    const stored = await store.read(merchant);
    const held = stored && safeguardsIn(stored.text, store.place, merchant);
    const logins = [...(held?.logins ?? [])];
    for (const login of contract ? newLogins(contract, { logins }) : [])
      if (!isLogin(login) || (await store.own(login, merchant))) logins.push(login);
    if (contract && stored && logins.length === held?.logins.length) return;
    const { twoPersonRelease, caps } = { twoPersonRelease: false, caps: {}, ...held, ...its };
    await writeSafeguards(merchant, { logins, twoPersonRelease, caps, by, atMs: Date.now() }, { store, maker });
  }

  function safeguard(...it: Parameters<typeof write>): Promise<void> {
    const written = underWay.then(() => write(...it));
    underWay = written.catch(() => {});
    return written;
  }

  return {
    secrets: {
      ...secrets,
      put(name: string, json: object | string, stage?: string) {
        const [, merchant] = /\/contract\/([^/]+)$/.exec(name) ?? [];
        if (merchant !== undefined) void safeguard(merchant, {}, json).catch(() => {});
        return secrets.put(name, json, stage);
      },
    },
    safeguard: (merchant: string, its: Safeguards) => safeguard(merchant, its),
    registered: () => underWay,
    async close() {
      await underWay;
      client.destroy();
    },
  };
}

/** The logins that a contract names beyond these; none of one that can't be read. */
function newLogins(contract: object | string, known: Parameters<typeof unregistered>[1]): readonly string[] {
  try {
    return unregistered(readContract(typeof contract === 'string' ? contract : JSON.stringify(contract), ''), known);
  } catch {
    return [];
  }
}

/** Every table has just been made, and nothing was paid by them. */
async function tablesRecordBy(
  config: ClientConfig & { readonly endpoint: string },
  maker: ApprovalMaker,
): Promise<StoredTables> {
  const dynamodb = newDynamoDbClient(localCalls, config);
  try {
    const its = { by: 'second-operator', atMs: Date.now() };
    return { record: await recordOf(await describedTables(tables, dynamodb), its, maker) };
  } finally {
    dynamodb.destroy();
  }
}

/** Starts the environment; it is ready, queues and table included, when the promise resolves. */
export async function startEmbeddedAws(options: EmbeddedAwsOptions = {}): Promise<EmbeddedAws> {
  const [sqs, dynamodb, secrets, sts, kms] = await Promise.all([
    startQueues(),
    startTables(),
    startSecretsManagerEndpoint(),
    startStsEndpoint(users),
    startKmsEndpoint(new Set([secondOperator.AWS_ACCESS_KEY_ID])),
  ]);
  const closing: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(closing.map((it) => it()));
    await Promise.all([sqs.close(), dynamodb.close(), secrets.close(), sts.close(), kms.close()]);
  };
  const environment = {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_ENDPOINT_URL_KMS: kms.url,
  };
  try {
    const queueUrls = await createResources({ region, credentials }, { sqs: sqs.url, dynamodb: dynamodb.url }, options);
    const { close: closeOffice, ...office } = openOffice({ region, credentials, endpoint: dynamodb.url }, kms, secrets);
    closing.push(closeOffice);
    const tablesRecord = await tablesRecordBy({ region, credentials, endpoint: dynamodb.url }, kms);
    secrets.put('payouts/_ledger', tablesRecord);
    return { environment, secondOperator, queueUrls, tablesRecord, ...tables, ...office, close };
  } catch (error) {
    await close();
    throw error;
  }
}
