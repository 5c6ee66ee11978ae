// Dead letters with card data in them, in the hands of people who can't open a seal and must not need to.
import { describe, expect, it } from 'vitest';
import { discardDeadLetter } from '../../lib/dead-letters/discard-dead-letter.ts';
import { cancelOrder } from '../../lib/payout/operate/decide.ts';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aTransferJob, type JobBody, withoutParams } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';

const every = () => true;
const saying = { by: 'ops', reason: 'the customer called it off' };
const sealed = (changes: Partial<JobBody> = {}) =>
  sealJob(withoutParams(aTransferJob(changes), 'cvv2'), { jwks: cardJwks });

/** A sealed transfer whose message SQS moved aside before anybody claimed it. */
async function unclaimed() {
  const it = aDeadLetterWorld();
  const letter = it.deadLetters.move(aRecord(await sealed(), { messageId: 'm-1' }), 'm-1');
  return { ...it, letter };
}

it('a sealed job that failed is planned as to be sent, and is sent once', async () => {
  // given a sealed transfer that found no gateway
  const { world, ports, lay, deliverRedriven } = aDeadLetterWorld();
  world.gateway.moods('refuses the connection');
  await world.deliver(aRecord(await sealed(), { sentAtMs: longAgoMs }));
  lay();

  // when
  const { plan } = await planRedrive(every, ports);
  expect(plan.deadLetters).toMatchObject([{ class: 'submit', because: 'WAITED_TOO_LONG', order: 'acme-eu/TRF-1' }]);
  await redriveDeadLetters(plan, ports);
  await deliverRedriven();

  // then
  expect(world.gateway.postsOf('TRF-1')).toBe(1);
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
});

it('a sealed job whose order has ended is planned to hear so', async () => {
  const { world, ports, deadLetters } = await unclaimed();
  await world.deliver(aRecord(await sealed()));
  expect(deadLetters.letters).toHaveLength(1);
  const { plan } = await planRedrive(every, ports);
  expect(plan.deadLetters).toMatchObject([{ class: 'nothing', because: 'accepted' }]);
});

it('plain card data is planned to come straight back where it is refused', async () => {
  const { ports, deadLetters } = aDeadLetterWorld();
  deadLetters.move(aRecord(aTransferJob()));
  const { plan } = await planRedrive(every, ports);
  expect(plan.deadLetters).toMatchObject([{ class: 'reject', because: 'PLAIN_CARD_DATA' }]);
});

describe('a sealed job that nobody claimed', () => {
  it('is thrown away, and its order with it: no late copy is paid, a job that names the end is, once', async () => {
    const { world, ports, deadLetters, letter } = await unclaimed();
    const [taken = letter] = await deadLetters.take();
    const discarded = await discardDeadLetter(taken, saying, ports);
    expect(discarded).toMatchObject({
      kind: 'discarded',
      result: { operation: 'transfer', status: 'failed', amount: '25.00', failure: { code: 'DISCARDED' } },
    });
    expect(deadLetters.letters).toEqual([]);
    await world.deliver(aRecord(await sealed()));
    expect(world.gateway.posts).toEqual([]);
    const again = { ...(await sealed()), resends: world.entries.get('acme-eu/TRF-1')?.endId ?? '' };
    const other = { ...(await sealed({ params: { amount: '26.00' } })), resends: again.resends };
    for (const job of [other, again, again]) await world.deliver(aRecord(job));
    expect(world.gateway.postsOf('TRF-1')).toBe(1);
    expect(world.results.taken.map(({ status, failure }) => failure?.code ?? status)).toEqual([
      'DISCARDED',
      'DISCARDED',
      'ORDER_ID_REUSED',
      'accepted',
      'accepted',
    ]);
  });

  it('and waited for fourteen days ends as what it was', async () => {
    const { world } = await unclaimed();
    await world.controls.pause('acme-eu', true, { ...saying, atMs: 0 });
    await world.deliver(aRecord(await sealed({ batchId: 'b-1' }), { sentAtMs: longAgoMs }));
    expect(world.results.taken).toMatchObject([
      {
        operation: 'transfer',
        amount: '25.00',
        batchId: 'b-1',
        status: 'failed',
        failure: { code: 'WAITED_TOO_LONG' },
      },
    ]);
  });

  it('is thrown away once its order is cancelled', async () => {
    const { world, ports, deadLetters, letter } = await unclaimed();
    await cancelOrder({ merchant: 'acme-eu', orderId: 'TRF-1', ...saying }, world.ports);
    const [taken = letter] = await deadLetters.take();
    expect(await discardDeadLetter(taken, saying, ports)).toMatchObject({
      kind: 'discarded',
      result: { status: 'cancelled' },
    });
    expect(deadLetters.letters).toEqual([]);
  });
});
