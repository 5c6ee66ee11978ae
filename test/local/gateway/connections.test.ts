// Pausing, closing: the connection side of the simulator.
import { describe, expect, it } from 'vitest';
import { scenarioWith } from '../../../lib/local/gateway/scenario.ts';
import type { SimulatedFault } from '../../../lib/local/gateway/scenario.ts';
import { formFields, postPayout } from './support/client.ts';
import { aGateway, patience } from './support/story.ts';

const scenario = (fault: SimulatedFault) => () => scenarioWith({ fault });

describe('going away', () => {
  it('refuses connections while paused and comes back on the same port with its orders', async () => {
    const gateway = await aGateway();
    await postPayout(gateway, 'INV-1');
    await gateway.pause();
    expect(await postPayout(gateway, 'INV-2')).toEqual({ kind: 'broken', code: 'ECONNREFUSED', text: '' });
    await gateway.resume();
    expect(formFields(await postPayout(gateway, 'INV-3'))).toMatchObject({ 'paynet-order-id': '9000002' });
    expect(gateway.orders().map((order) => order.clientOrderId)).toEqual(['INV-1', 'INV-3']);
  });

  it('lets a request that is under way finish while paused', async () => {
    const gateway = await aGateway({ latencyMs: 200 });
    const answer = postPayout(gateway, 'INV-1');
    await expect.poll(() => gateway.orders(), patience).toHaveLength(1);
    await gateway.pause();
    expect(formFields(await answer)).toMatchObject({ type: 'async-response' });
  });

  it('cuts stalled clients when it closes, and can be closed twice', async () => {
    const gateway = await aGateway({ scenario: scenario({ kind: 'stall', when: 'after' }) });
    const answer = postPayout(gateway, 'INV-1');
    await expect.poll(() => gateway.orders(), patience).toHaveLength(1);
    await gateway.close();
    expect(await answer).toMatchObject({ kind: 'broken', code: 'ECONNRESET' });
    await gateway.close();
  });

  it('ends the exchange when a scenario function throws', async () => {
    const broken = (): never => {
      throw new Error('no such scenario');
    };
    const gateway = await aGateway({ scenario: broken });
    expect(await postPayout(gateway, 'INV-1')).toMatchObject({ kind: 'broken', code: 'ECONNRESET' });
  });
});
