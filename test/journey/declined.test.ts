// The gateway refuses and says why: no money moved, and the merchant learns what the gateway said, without card data.
import { expect, it } from 'vitest';
import { aPayoutJob, aTransferJob } from '../support/jobs.ts';
import { sealedFor } from '../support/card-keys.ts';
import { aRecord } from '../support/records.ts';
import { aWorld } from '../support/world.ts';

it("a refused order is declined with the gateway's code and words", async () => {
  const world = aWorld();
  world.gateway.moods('refuses the order');

  const returned = await world.deliver(aRecord(aPayoutJob()));

  expect(returned).toEqual([]);
  expect(world.gateway.postsOf('INV-1')).toBe(1);
  expect(world.results.taken).toMatchObject([
    {
      status: 'declined',
      final: true,
      attempts: 1,
      failure: { code: 'GATEWAY_REFUSED', message: 'Card number is invalid', gatewayCode: '8', httpStatus: 200 },
    },
  ]);
  expect(world.jobsQueue.deadLetters.taken).toEqual([]);
});

it('a refusal that echoes the whole request is told without card data', async () => {
  const world = aWorld();
  world.gateway.moods('refuses the order and echoes it');

  await world.deliver(aRecord(await sealedFor(world, aTransferJob())));

  expect(world.results.taken).toMatchObject([{ status: 'declined', failure: { code: 'GATEWAY_REFUSED' } }]);
  expect(JSON.stringify([world.results.taken, world.log])).not.toMatch(
    /4111111111111111|5555555555554444|737|JANE DOE/,
  );
});
