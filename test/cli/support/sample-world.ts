// The sample's merchants at the gateway simulator, with emulators and the real worker: what a walk by the real commands needs.
import { SQSClient } from '@aws-sdk/client-sqs';
import { type EmbeddedAws, startEmbeddedAws } from '../../../lib/local/embedded-aws.ts';
import { clientConfigOf, workerEnvironment } from '../../../lib/local/local-environment.ts';
import { startLocalGateway } from '../../../lib/local/local-gateway.ts';
import { localWorkerLimits } from '../../../lib/local/local-limits.ts';
import { putMerchants, sampleSecrets, workerSecret } from '../../../lib/local/sample-merchants.ts';
import { takeMessages } from '../../../lib/local/queue-reader.ts';
import { startWorkerProcess } from '../../../lib/local/worker-process.ts';

type Gateway = Awaited<ReturnType<typeof startLocalGateway>>;

/** A running world. */
export interface SampleWorld {
  readonly aws: EmbeddedAws;
  readonly simulator: Gateway['simulator'];
  /** The sample's, as the worker reads them. */
  readonly secrets: Gateway['secrets'];
  /** The settings of worker and commands. */
  readonly env: Record<string, string>;
  /** The results on their queue, as a consumer takes them, one a line. */
  takeResults(): Promise<string>;
  /** The gateway's report of a merchant's transactions, as a person exports it on the gateway's pages: CSV. */
  gatewayReport(merchant: string, login?: string): string;
  stop(): Promise<void>;
}

/** The gateway simulator with the sample's merchants, their secrets laid beside the worker's own. */
export async function startSampleGateway({
  secrets,
  registered,
}: Pick<EmbeddedAws, 'secrets' | 'registered'>): Promise<Gateway> {
  const closedUrl = 'http://127.0.0.1:9';
  const gateway = await startLocalGateway('none', (gatewayUrl) => sampleSecrets({ gatewayUrl, closedUrl }));
  putMerchants(secrets, gateway.secrets);
  secrets.put('payouts/_worker', workerSecret());
  await registered();
  return gateway;
}

/** All of it; the worker's lines go to this file. */
export async function startSampleWorld(logFile: string): Promise<SampleWorld> {
  const aws = await startEmbeddedAws({ maxReceiveCount: localWorkerLimits.maxReceiveCount });
  const { simulator, secrets } = await startSampleGateway(aws);
  const env = workerEnvironment(aws, localWorkerLimits.environment);
  const worker = startWorkerProcess(env, { logFile });
  return {
    aws,
    simulator,
    secrets,
    env,
    async takeResults() {
      const sqs = new SQSClient(clientConfigOf(aws, 'SQS'));
      const lines: string[] = [];
      for (let taken = 1; taken > 0;) {
        const messages = await takeMessages(sqs, aws.queueUrls.results, 1);
        taken = messages.length;
        lines.push(...messages.map(({ Body = '' }) => `${Body}\n`));
      }
      sqs.destroy();
      return lines.join('');
    },
    gatewayReport(merchant, login = String(secrets[merchant]?.contract['login'])) {
      const lines = simulator
        .orders()
        .filter((it) => it.login === login && it.amount !== undefined)
        .map((it) => [it.clientOrderId, it.gatewayOrderId, it.amount, it.currency, it.status, dayOf(it.committedAtMs)]);
      return ['client_orderid,orderid,amount,currency,status,created', ...lines, ''].join('\n');
    },
    async stop() {
      await worker.stop();
      await simulator.close();
      await aws.close();
    },
  };
}

const dayOf = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
