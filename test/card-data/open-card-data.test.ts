// What is said of a job's seal, closed and opened.
import { describe, expect, it } from 'vitest';
import { type CardDataPorts, cardDataGate, closedCardDataGate } from '../../lib/card-data/open-card-data.ts';
import { plainCardFields } from '../../lib/payout/message/card-fields.ts';
import { aTransferJob, jobOf, type JobBody, withoutParams } from '../support/jobs.ts';
import type { Job } from '../../lib/payout/message/job.ts';
import { plainDigest } from '../../lib/payout/message/plain-digest.ts';
import { aSeal } from '../support/odd-seals.ts';
import { aWorld } from '../support/world.ts';

/** The job with a card sealed for it, under this header. */
async function sealedWith(job: JobBody, header: object): Promise<JobBody> {
  const plain = plainDigest(jobOf(job));
  return { ...job, sealedParams: await aSeal({ credit_card_number: '4111111111111111' }, { plain, ...header }) };
}

const judgeClosed = (job: Job) => closedCardDataGate({ received: job, job });
const openCardData = (job: Job, ports: CardDataPorts) => cardDataGate(ports)({ received: job, job });
const refused = (code: string, message: string) => ({ kind: 'refuse', failure: { code, message } });

describe('a seal', () => {
  const sealedFor = async (header: object) =>
    jobOf(await sealedWith(withoutParams(aTransferJob(), ...plainCardFields(jobOf(aTransferJob()))), header));

  it('of this order may be claimed, as far as can be said of it closed', async () => {
    const job = await sealedFor({});
    expect(await judgeClosed(job)).toEqual({ kind: 'go' });
  });

  it('of another order is refused, opened or not', async () => {
    const job = await sealedFor({ orderId: 'TRF-2' });
    const { ports } = aWorld();
    const why = refused('SEALED_PARAMS_INVALID', 'sealedParams is sealed for another orderId');
    expect(await judgeClosed(job)).toEqual(why);
    expect(await openCardData(job, ports)).toEqual(why);
  });
});
