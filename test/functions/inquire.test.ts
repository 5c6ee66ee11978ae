// The inquire function as it ships, over the sockets: what each of its ports asks of AWS, and by which door a message comes in.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInquire, inquirePorts } from '../../functions/inquire.ts';
import { ForeignLedgerError } from '../../lib/restore/while-known.ts';
import { rejection } from '../../lib/payout/message/result.ts';
import { anOrder } from '../support/orders.ts';
import { remakeLedger, type ScriptedAws, startQuietGateway, startScriptedAws } from '../support/scripted-aws.ts';

type Ports = ReturnType<typeof inquirePorts>;
let aws: ScriptedAws;
let ports: Ports;
let lines: string[];

beforeEach(async () => {
  aws = await startScriptedAws();
  lines = [];
  ports = inquirePorts(aws.config, (line) => lines.push(line));
});
afterEach(() => aws.close());

const failure = { code: 'INVALID_MESSAGE', message: 'no JSON' } as const;
const result = rejection({ messageId: 'm-1', identity: {}, failure, nowMs: 0 });
const lane = { merchant: 'acme-eu', endpointId: '39915' };

describe('what inquire asks of AWS', () => {
  it.each<[what: string, ask: (it: Ports) => Promise<unknown>, calls: readonly string[]]>([
    ['an order', (it) => it.orders.read('acme-eu/INV-1'), ['GetItem ledger acme-eu/INV-1']],
    [
      'a merchant',
      (it) => it.credentials.of('acme-eu'),
      ['GetSecretValue payouts/contract/acme-eu', 'GetSecretValue payouts/keys/acme-eu'],
    ],
    ['results', (it) => it.results.send([result]), ['SendMessageBatch results']],
    [
      'a slice of pace',
      (it) => it.pacing.ask(lane, 'inquiry', {}),
      ['GetItem controls ~lane/acme-eu/39915', 'UpdateItem controls ~lanes', 'PutItem controls ~lane/acme-eu/39915'],
    ],
  ])('%s', async (_, ask, calls) => {
    await ask(ports).catch(() => {});
    expect(aws.asked.toSorted()).toEqual(calls.toSorted());
  });

  it('nothing by a ledger that was made anew', async () => {
    remakeLedger(aws);
    await expect(ports.orders.read('acme-eu/INV-1')).rejects.toThrow(ForeignLedgerError);
    await expect(ports.orders.write(anOrder(), anOrder())).rejects.toThrow(ForeignLedgerError);
    await expect(ports.dueWork.move('acme-eu/INV-1', 0, 1)).rejects.toThrow(ForeignLedgerError);
  });
});

describe('a message', () => {
  const deliver = (queue: string, body: object) =>
    createInquire(ports)(
      {
        Records: [
          {
            messageId: 'm-1',
            receiptHandle: 'r-1',
            body: JSON.stringify(body),
            attributes: { ApproximateReceiveCount: '1', SentTimestamp: '0' },
            messageAttributes: {},
            eventSourceARN: `arn:aws:sqs:eu-central-1:000000000000:${queue}`,
          },
        ],
      } as never,
      { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 60_000 } as never,
    );
  const ownWord = { kind: 'check', key: 'acme-eu/INV-1', leaseMs: 1 };

  it('of the checks queue is a word of the worker: the order that it names is read', async () => {
    await deliver('checks', ownWord);
    expect(aws.asked).toContain('GetItem ledger acme-eu/INV-1');
  });

  it('is logged with the id of its invocation', async () => {
    await deliver('checks', { kind: 'nothing that is known' });
    expect(lines.filter((it) => it.includes('"r-1"'))).not.toEqual([]);
  });
});

it('an inquiry goes by the connection of the one before it, a payment by one of its own', async () => {
  const gateway = await startQuietGateway();
  try {
    await gateway.twice(ports.gateway, 'status/39915');
    expect(gateway.connections()).toBe(1);
    await gateway.twice(ports.gateway, 'payout/39915');
    expect(gateway.connections()).toBe(3);
  } finally {
    gateway.close();
  }
});
