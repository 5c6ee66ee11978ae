// What one line of the log says of each kind of end: no more fields than there is something to say.
import { expect, it } from 'vitest';
import type { GatewayMood } from '../support/fake-gateway.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

const order = { operation: 'payout', merchant: 'acme-eu', endpointId: '39915', orderId: 'INV-1' };
const resultId = 'acme-eu/INV-1/1';
const start = { messageId: 'm-1', receiveCount: 1, durationMs: 0 };

it.each<[GatewayMood, object]>([
  [
    'accepts',
    { disposition: 'done', resultId, state: 'accepted', revision: 1, attempts: 1, gatewayOrderId: '9000001' },
  ],
  [
    'refuses the order',
    {
      disposition: 'done',
      resultId,
      state: 'declined',
      revision: 1,
      attempts: 1,
      failureCode: 'GATEWAY_REFUSED',
      gatewayCode: '8',
      httpStatus: 200,
    },
  ],
  [
    'stalls',
    {
      disposition: 'wait',
      because: 'kept',
      delaySeconds: 30,
      resultId,
      state: 'held',
      revision: 1,
      attempts: 1,
      failureCode: 'NO_ANSWER',
    },
  ],
  [
    'fails',
    {
      disposition: 'wait',
      because: 'kept',
      delaySeconds: 30,
      resultId,
      state: 'held',
      revision: 1,
      attempts: 1,
      failureCode: 'UNCLEAR_ANSWER',
      httpStatus: 500,
    },
  ],
  [
    'asks to slow down',
    {
      disposition: 'wait',
      state: 'retryable',
      revision: 0,
      attempts: 1,
      failureCode: 'RATE_LIMITED',
      httpStatus: 429,
      because: 'unsent',
      delaySeconds: 40,
    },
  ],
])('a gateway that %s', async (mood, said) => {
  const world = aWorld();
  world.gateway.stays(mood);
  await world.deliver(aRecord(aPayoutJob(), { messageId: 'm-1' }));
  const [line] = world.log;
  expect(line).toMatchObject({ level: 'info', event: 'job' });
  expect(line?.fields).toStrictEqual({ ...start, ...order, ...said });
});
