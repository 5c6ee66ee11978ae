// One attempt at the gateway, alone: what is known when it could not even begin.
import { describe, expect, it } from 'vitest';
import { sendOrder } from '../../lib/payout/send-order.ts';
import { sendClaimed } from '../../lib/card-data/send-with-cvv.ts';
import { anEligibilityJob, aPayoutJob, aTransferJob, jobOf, withoutParams } from '../support/jobs.ts';
import { anEntry } from '../support/ledger-entries.ts';
import { aCodeSeal } from '../support/odd-seals.ts';
import { startMs } from '../support/time-and-chance.ts';
import { aWorld } from '../support/world.ts';

const notAfterMs = startMs + 30_000;
const outage = { code: 'CREDENTIALS_UNAVAILABLE', message: 'the secrets service did not answer' };

describe('without a secret nothing is sent, and the order may be sent later', () => {
  it.each([aPayoutJob(), anEligibilityJob()])('$operation', async (body) => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.credentials.outage('down');
    expect(await sendOrder(jobOf(body), { attempts: 3 }, notAfterMs, world.ports)).toEqual({
      outcome: { kind: 'retryable', failure: outage },
      attempts: 3,
      statusInquiry: false,
    });
    expect(world.gateway.posts).toEqual([]);
  });

  it('not even a second time, where the first signature was refused', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    world.gateway.moods('refuses the signature');
    world.gateway.meanwhile(() => world.credentials.outage('down'));
    expect(await sendOrder(jobOf(aPayoutJob()), { attempts: 1 }, notAfterMs, world.ports)).toEqual({
      outcome: { kind: 'retryable', failure: outage },
      attempts: 1,
      statusInquiry: false,
    });
    expect(world.gateway.posts).toHaveLength(1);
  });
});

describe('a sealed CVV', () => {
  const cardKey = { id: 'key-1', secret: 'A'.repeat(43) };
  const job = jobOf(withoutParams(aTransferJob(), 'cvv2'));
  const entry = anEntry({ operation: 'transfer', orderId: 'TRF-1', attempts: 2 });

  it('is opened by its key, and sent', async () => {
    const world = aWorld();
    const sealedCode = { field: 'cvv2', keyId: 'key-1', sealed: await aCodeSeal('737', cardKey) };
    const attempt = await sendClaimed({ ...job, sealedCode }, { entry, cardKey }, notAfterMs, world.ports);
    expect(attempt).toMatchObject({ outcome: { kind: 'accepted' }, attempts: 2 });
    expect(world.gateway.posts[0]?.fields).toContainEqual(['cvv2', '737']);
  });

  it('that its key does not open is asked for anew: nothing is sent without it', async () => {
    const world = aWorld({ profile: { statusInquiry: true } });
    const sealed = await aCodeSeal('737', { id: 'key-1', secret: 'B'.repeat(43) });
    const sealedCode = { field: 'cvv2', keyId: 'key-1', sealed };
    const message = 'the CVV can not be read any more; seal the card data anew and send the order again';
    expect(await sendClaimed({ ...job, sealedCode }, { entry, cardKey }, notAfterMs, world.ports)).toEqual({
      outcome: { kind: 'spent', failure: { code: 'NEW_CARD_DATA_NEEDED', message } },
      attempts: 2,
      statusInquiry: false,
    });
    expect(world.gateway.posts).toEqual([]);
  });
});
