// Two merchants whose secrets name one login of the gateway: it has one order of an id, and both ask about it.
import { expect, it } from 'vitest';
import { payneteasyCallbacks } from '../../lib/gateway/payneteasy-callbacks.ts';
import { createStoryGateway } from '../stories/gateway.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { createManualClock } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

// *order* mends it: an account belongs to one merchant, and the second is refused.
it.fails('what one merchant was paid is not told to the other', async () => {
  const one = someCredentials({ profile: { statusInquiry: true } });
  const clock = createManualClock();
  const gateway = createStoryGateway(clock);
  const speaks = { gateway: gateway.port, callbacks: payneteasyCallbacks };
  const world = aWorld({ merchants: { 'acme-eu': one, 'acme-us': one }, speaks });
  await world.deliver(aRecord(aPayoutJob({ merchant: 'acme-eu', orderId: 'INV-1' })));
  gateway.ends('INV-1', 'approved');
  gateway.answers('INV-1', 'silent');
  await world.deliver(aRecord(aPayoutJob({ merchant: 'acme-us', orderId: 'INV-1' })));
  await world.pass(7_200_000);
  expect(gateway.payments('INV-1')).toHaveLength(1);
  expect(world.entries.get('acme-us/INV-1')?.state).not.toBe('approved');
});
