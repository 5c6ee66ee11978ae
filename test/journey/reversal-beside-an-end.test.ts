// The end of an order and a later transaction of it are called back together: the end is written as it would be alone, and told though
// the gateway is asked about the other one.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { handleCallback } from '../../lib/payout/inquire/handle-callback.ts';
import { someControlKey } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { type RestorableWorld, restorableWorld } from '../support/restorable-world.ts';

const key = 'acme-eu/INV-1';

async function accepted(): Promise<RestorableWorld> {
  const it = restorableWorld({ profile: { statusInquiry: true } });
  await it.world.deliver(aRecord(aPayoutJob()));
  expect(it.world.entries.get(key)?.state).toBe('accepted');
  it.world.gateway.statusStays('never heard of it');
  return it;
}

async function calledBackTogether({ world, ports }: RestorableWorld): Promise<void> {
  for (const more of [{ status: 'declined' }, { status: 'approved', type: 'reversal' }]) {
    const fields = { orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR', ...more };
    const control = createHash('sha1').update(`${more.status}9000001INV-1${someControlKey}`).digest('hex');
    const parameters = new Map(Object.entries({ control, ...fields }));
    expect(await handleCallback({ merchant: 'acme-eu', parameters }, ports)).toBe(200);
  }
  await world.look(key);
}

it('a decline beside a reversal is told at once', async () => {
  const it = await accepted();
  await calledBackTogether(it);
  expect(it.world.results.taken.at(-1)).toMatchObject({ status: 'declined', endId: expect.any(String) });
});

it('under the gap of a restore it ends no order: an attempt that was lost may live', async () => {
  const it = await accepted();
  await it.restore(it.backup());
  await calledBackTogether(it);
  expect(it.world.entries.get(key)).toMatchObject({ state: 'in-doubt', failure: { code: 'LEDGER_RESTORED' } });
  expect(it.world.results.taken.map(({ status }) => status)).toEqual(['in-doubt']);
});
