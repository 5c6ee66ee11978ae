// The submit function as it ships, over the sockets: what each of its ports asks of AWS, and what it does when AWS says no.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { submitPorts } from '../../functions/submit.ts';
import { ForeignLedgerError } from '../../lib/restore/while-known.ts';
import type { GateName } from '../../lib/payout/gates.ts';
import { rejection } from '../../lib/payout/message/result.ts';
import { aParkedJob } from '../contract/waiting-contract.ts';
import { aPayoutJob, jobOf } from '../support/jobs.ts';
import { anOrder, begun } from '../support/orders.ts';
import { remakeLedger, type ScriptedAws, startQuietGateway, startScriptedAws } from '../support/scripted-aws.ts';

type Ports = ReturnType<typeof submitPorts>;
let aws: ScriptedAws;
let ports: Ports;
let lines: string[];

beforeEach(async () => {
  aws = await startScriptedAws();
  lines = [];
  ports = submitPorts(aws.config, (line) => lines.push(line));
});
afterEach(() => aws.close());

const job = jobOf(aPayoutJob({ batchId: 'november' }));
const failure = { code: 'INVALID_MESSAGE', message: 'no JSON' } as const;
const result = rejection({ messageId: 'm-1', identity: {}, failure, nowMs: 0 });
const letter = { body: '{}', originMessageId: 'm-1', reason: failure };
const check = { message: { kind: 'check', key: 'acme-eu/INV-1', leaseMs: 5 }, delaySeconds: 0 } as const;
const askGate = (name: GateName) => (it: Ports) => it.gates[name]({ received: job, job });

const merchantSecret = [
  'GetSecretValue payouts/contract/acme-eu',
  'GetSecretValue payouts/keys/acme-eu',
  'GetItem batches ~safeguards/acme-eu',
];
const controls = [
  'GetItem controls ~batch/november',
  'GetItem controls ~control/*',
  'GetItem controls ~control/acme-eu',
];

describe('what submit asks of AWS', () => {
  it.each<[what: string, ask: (it: Ports) => Promise<unknown>, calls: readonly string[]]>([
    ['an order', (it) => it.orders.read('acme-eu/INV-1'), ['GetItem ledger acme-eu/INV-1']],
    ['a claim', (it) => begun(it.orders, anOrder({ orderId: 'INV-2' })), ['UpdateItem ledger acme-eu/INV-2']],
    ['a merchant', (it) => it.credentials.of('acme-eu'), merchantSecret],
    ['the keys of fingerprints', (it) => it.fingerprinting.keys(), ['GetSecretValue payouts/_worker']],
    ['results', (it) => it.results.send([result]), ['SendMessageBatch results']],
    ['checks', (it) => it.ownQueue.send([check]), ['SendMessageBatch checks']],
    ['the parked jobs of an order', (it) => it.waiting.jobs.ofOrder('acme-eu/INV-1'), ['Query waiting']],
    [
      'a job that is parked',
      (it) => it.waiting.jobs.put(aParkedJob({ key: 'acme-eu/INV-1', digest: 'a' })),
      ['Query waiting', 'PutItem waiting acme-eu/INV-1'],
    ],
    ['a data key', (it) => it.waiting.dataKeys.current(), ['GenerateDataKey waiting']],
    ['a dead letter', (it) => it.jobsQueue.sendDeadLetters([letter]), ['SendMessageBatch dead-letters']],
    [
      'a later result of a batch',
      (it) => it.results.send([{ ...result, batchId: 'november', revision: 2 }]),
      ['UpdateItem batches ~bulk/november', 'SendMessageBatch results'],
    ],
    [
      'a turn',
      (it) => it.pacing.ask(job, 'urgent', {}),
      ['GetItem controls ~lane/acme-eu/39915', 'UpdateItem controls ~lanes', 'PutItem controls ~lane/acme-eu/39915'],
    ],
    ['the gate of approval', askGate('approval'), merchantSecret],
    ['the gate of calling off', askGate('call-off'), controls],
    ['the gate of pauses', askGate('pause'), controls],
    ['the gate of contracts', askGate('contract'), merchantSecret],
    ['the gate of credentials', askGate('credentials'), merchantSecret],
    ['the start', (it) => it.warmUp(), ['GetSecretValue payouts/_worker', 'GetItem controls ~control/*']],
  ])('%s', async (_, ask, calls) => {
    await ask(ports).catch(() => {});
    expect(aws.asked.toSorted()).toEqual(expect.arrayContaining([...calls]));
    expect(aws.asked.filter((it) => !calls.includes(it))).toEqual([]);
  });
});

describe('on a ledger that was made anew', () => {
  beforeEach(() => void remakeLedger(aws));

  it('no order is read or claimed', async () => {
    await expect(ports.orders.read('acme-eu/INV-1')).rejects.toThrow(ForeignLedgerError);
    await expect(begun(ports.orders, anOrder())).rejects.toThrow(ForeignLedgerError);
    expect(aws.asked.filter((it) => it.startsWith('PutItem'))).toEqual([]);
  });

  it('every job waits', async () => {
    expect(await askGate('pause')(ports)).toMatchObject({ kind: 'wait' });
  });
});

describe('where SQS answers with trouble', () => {
  beforeEach(() => void aws.answers.set('SendMessageBatch', { status: 503, body: { __type: 'ServiceUnavailable' } }));
  const sent = (queue: string) => aws.asked.filter((it) => it === `SendMessageBatch ${queue}`).length;

  it.each<[queue: string, send: (it: Ports) => Promise<unknown>]>([['checks', (it) => it.ownQueue.send([check])]])(
    'what would go on twice if it lay there twice is sent once: %s',
    async (queue, send) => {
      await expect(send(ports)).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
      expect(sent(queue)).toBe(1);
    },
  );

  it('a result, which has one id however often it comes, is sent again', async () => {
    await expect(ports.results.send([result])).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
    expect(sent('results')).toBeGreaterThan(1);
  });
});

it('each payment has a connection of its own', async () => {
  const gateway = await startQuietGateway();
  try {
    await gateway.twice(ports.gateway, 'payout/39915');
    expect(gateway.connections()).toBe(2);
  } finally {
    gateway.close();
  }
});

it('figures go to the namespace of the stage', () => {
  ports.metrics.publish({ values: { becameAccepted: 1 }, perCurrency: new Map() });
  expect(lines.join('\n')).toContain(`"Namespace":"${aws.config.metricsNamespace}"`);
});
