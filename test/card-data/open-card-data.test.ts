// What is said of a job's card data: in the clear, sealed, or both; closed and opened.
import { describe, expect, it } from 'vitest';
import { type CardDataPorts, cardDataGate, closedCardDataGate } from '../../lib/card-data/open-card-data.ts';
import { aPayoutJob, aTransferByRefJob, aTransferJob, jobOf, type JobBody, withoutParams } from '../support/jobs.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { plainDigest } from '../../lib/payout/message/plain-digest.ts';
import { aSeal } from '../support/odd-seals.ts';
import { aWorld } from '../support/world.ts';

const cardFields = ['credit_card_number', 'card_printed_name', 'cvv2', 'expire_month', 'expire_year'];

/** A transfer whose sender's card is sealed under this header; the receiver's card stands in params. */
async function aHalfSealedTransfer(header: object = {}): Promise<JobBody> {
  return sealedWith(withoutParams(aTransferJob(), ...cardFields), header);
}

/** The job with a card sealed for it, under this header. */
async function sealedWith(job: JobBody, header: object): Promise<JobBody> {
  const plain = plainDigest(jobOf(job));
  return { ...job, sealedParams: await aSeal({ credit_card_number: '4111111111111111' }, { plain, ...header }) };
}

const judgeClosed = (job: Job, ports: CardDataPorts) => closedCardDataGate(ports)({ received: job, job });
const openCardData = (job: Job, ports: CardDataPorts) => cardDataGate(ports)({ received: job, job });
const refused = (code: string, message: string) => ({ kind: 'refuse', failure: { code, message } });
const refusedAsPlain = (message: string) => refused('PLAIN_CARD_DATA', message);

describe('card data in the clear', () => {
  it.each([
    [
      'a card field',
      aTransferByRefJob(),
      'params destination-card-no stand in the clear; put them into sealedParams, or send references',
    ],
    [
      'two free texts',
      aPayoutJob({ params: { order_desc: '4111111111111111' }, context: { from: '4111111111111111' } }),
      'order_desc, context: digits that pass for a card number; leave them out',
    ],
    [
      'a card field and a free text',
      aTransferByRefJob({ params: { order_desc: 'from 4111111111111111' } }),
      'params destination-card-no stand in the clear; put them into sealedParams, or send references; ' +
        'order_desc: digits that pass for a card number; leave them out',
    ],
  ])('in %s is refused, and all of it is named', async (_, body, message) => {
    const { ports } = aWorld();
    expect(await judgeClosed(jobOf(body), ports)).toEqual(refusedAsPlain(message));
    expect(await openCardData(jobOf(body), ports)).toEqual(refusedAsPlain(message));
  });

  it.each([
    ['a seal', {}],
    ['a seal of another order', { orderId: 'TRF-2' }],
  ])('is refused beside %s too, and the seal stays closed', async (_, header) => {
    const job = jobOf(await aHalfSealedTransfer(header));
    const { ports } = aWorld();
    const cardDecrypter = { ...ports.cardDecrypter, open: () => Promise.reject(new Error('it was opened')) };
    const why = refusedAsPlain(
      'params destination-card-no stand in the clear; put them into sealedParams, or send references',
    );
    expect(await judgeClosed(job, ports)).toEqual(why);
    expect(await openCardData(job, { ...ports, cardDecrypter })).toEqual(why);
  });

  it('is let through beside a seal where the profile accepts it', async () => {
    const { ports } = aWorld({ profile: { plainCardData: 'accepted' } });
    expect(await openCardData(jobOf(await aHalfSealedTransfer()), ports)).toMatchObject({
      kind: 'go',
      job: { params: { credit_card_number: '4111111111111111', 'destination-card-no': '5555555555554444' } },
    });
  });
});

describe('a seal', () => {
  const sealedFor = async (header: object) =>
    jobOf(await sealedWith(withoutParams(aTransferJob(), ...cardFields, 'destination-card-no'), header));

  it('of this order may be claimed, as far as can be said of it closed', async () => {
    const job = await sealedFor({});
    expect(await judgeClosed(job, aWorld().ports)).toEqual({ kind: 'go' });
  });

  it('of another order is refused, opened or not', async () => {
    const job = await sealedFor({ orderId: 'TRF-2' });
    const { ports } = aWorld();
    const why = refused('SEALED_PARAMS_INVALID', 'sealedParams is sealed for another orderId');
    expect(await judgeClosed(job, ports)).toEqual(why);
    expect(await openCardData(job, ports)).toEqual(why);
  });
});
