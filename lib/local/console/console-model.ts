// The scene of the local page: the queues, the worker's log and the simulator. Money, lanes and orders are in the operator's console
// beside it.
import { randomUUID } from 'node:crypto';
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { signRequest } from '../../oauth1/sign-request.ts';
import { parseSigningKey } from '../../oauth1/signature-methods.ts';
import type { EmbeddedAws } from '../embedded-aws.ts';
import { type FaultScheduleName, faultSchedules } from '../gateway/fault-schedules.ts';
import { sendToJobsQueue } from '../jobs-and-results.ts';
import { clientConfigOf } from '../local-environment.ts';
import { localCalls } from '../local-limits.ts';
import { followJobs } from './job-feed.ts';
import { signatureParts } from './signature-parts.ts';
import { newSqsClient } from '../../aws/sqs-queues.ts';

/** The questions and acts of the console. Faults of the asker are RangeErrors. */
export type LocalScene = ReturnType<typeof openLocalScene>;

/** The parts of the scene. */
interface LocalSceneOptions {
  readonly aws: EmbeddedAws;
  readonly logFile: string;
  readonly merchants: readonly string[];
  /** Absent with another gateway than the simulator. */
  readonly gateway?: {
    readonly requests: () => Readonly<Record<string, number>>;
    readonly setFaults: (name: FaultScheduleName) => void;
  };
}

/** Schedules that a running simulator can change to. */
const switchable = Object.entries(faultSchedules).map(([name, { description }]) => ({
  name: name as FaultScheduleName,
  description,
}));

const mostJobs = 1_000;

/** A gateway of one's own would pay what is sent from here. */
function checkSending(count: number, gateway: LocalSceneOptions['gateway']): void {
  if (!gateway) throw new RangeError('only the simulator is sent payouts from here: your own gateway would pay them');
  if (!Number.isInteger(count) || count < 1 || count > mostJobs) throw new RangeError(`count: 1 to ${mostJobs}`);
}

/** Opens the scene of a run. */
export function openLocalScene({ aws, logFile, merchants, gateway }: LocalSceneOptions) {
  const sqs = newSqsClient(localCalls, clientConfigOf(aws, 'SQS'));
  const feed = followJobs(logFile);
  const busySinceMs = new Map<string, number>();
  let faults: FaultScheduleName = 'none';

  async function queue(name: string, url: string) {
    const { Attributes = {} } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['All'] }),
    );
    const visible = Number(Attributes['ApproximateNumberOfMessages'] ?? 0);
    const inFlight = Number(Attributes['ApproximateNumberOfMessagesNotVisible'] ?? 0);
    const delayed = Number(Attributes['ApproximateNumberOfMessagesDelayed'] ?? 0);
    if (visible + inFlight + delayed === 0) busySinceMs.delete(name);
    else if (!busySinceMs.has(name)) busySinceMs.set(name, Date.now());
    const since = busySinceMs.get(name);
    return { name, visible, inFlight, delayed, notEmptyForMs: since === undefined ? 0 : Date.now() - since };
  }

  return {
    async state(): Promise<object> {
      await feed.look();
      const { jobs, batchJobs, references, checks, results, jobsDeadLetter } = aws.queueUrls;
      const own = { references, checks };
      const names = { jobs, 'rows of batches': batchJobs, ...own, results, 'dead letters': jobsDeadLetter };
      return {
        nowMs: Date.now(),
        queues: await Promise.all(Object.entries(names).map(([name, url]) => queue(name, url))),
        orders: feed.orders(),
        seconds: feed.seconds(),
        recent: feed.recent(),
        ...(gateway && { gateway: { requests: gateway.requests(), faults, choices: switchable } }),
      };
    },
    signature: explainedSignature,
    async setFaults(name: string): Promise<void> {
      const choice = switchable.find((it) => it.name === name);
      if (!choice || !gateway) throw new RangeError(`faults: one of ${switchable.map((it) => it.name).join(', ')}`);
      faults = choice.name;
      gateway.setFaults(faults);
    },
    /** Puts new payouts on the jobs queue. */
    async sendJobs(count: number): Promise<void> {
      checkSending(count, gateway);
      await sendToJobsQueue(sqs, aws.queueUrls.jobs, newPayouts(count, merchants));
    },
    close: () => sqs.destroy(),
  };
}

function newPayouts(count: number, merchants: readonly string[]): string[] {
  const run = randomUUID().slice(0, 8);
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify(newPayout(merchants[index % merchants.length] ?? '', `CON-${run}-${index + 1}`)),
  );
}

function newPayout(merchant: string, orderId: string) {
  const params = {
    amount: '10.42',
    currency: 'EUR',
    order_desc: 'Sent from the console',
    account_number: 'DE89370400440532013000',
    bank_name: 'Deutsche Bank',
  };
  return { version: 1, operation: 'payout', merchant, endpointId: '39915', orderId, params };
}

/** A made-up request, signed for real with a key that nobody has. */
async function explainedSignature(): Promise<object> {
  const signed = await signRequest({
    method: 'POST',
    url: 'https://gate.example.com/paynet/api/v4/payout/39915',
    params: Object.entries({ 'client-order-id': 'INV-1', ...newPayout('', '').params }),
    consumerKey: 'acme-eu-login',
    signatureMethod: 'HMAC-SHA1',
    key: parseSigningKey('HMAC-SHA1', 'fake-control-key'),
    nonce: 'fresh-for-each-request',
    timestamp: String(Math.floor(Date.now() / 1000)),
  });
  const { baseString, signature, authorization, body } = signed;
  return { parts: signatureParts(baseString), signature, authorization, body };
}
