// The sender's own words come back byte for byte, whichever way a result takes.
import { expect, it } from 'vitest';
import { planRedrive, redriveDeadLetters } from '../../lib/dead-letters/redrive-dead-letters.ts';
import { type Result, resultText } from '../../lib/payout/message/result.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob, type JobBody } from '../support/jobs.ts';
import { aRecord, longAgoMs } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const context =
  '{ "paymentId": 9007199254740993, "10":1.0,"2":1795255200000,\n"n":"\\u00e4\\/", "__proto__":{"a":[{}]} }';
const withContext = (job: JobBody) =>
  JSON.stringify(job).replace('{', `{"context":{"of":"another"},"context":\t${context} ,`);

/** What the results queue takes from now on, as text. */
function told(world: World): string[] {
  const texts: string[] = [];
  const { send } = world.results;
  Object.assign(world.results, {
    send: (results: readonly Result[]) => {
      texts.push(...results.map(resultText));
      return send(results);
    },
  });
  return texts;
}

it('on the result of an order, now and when it ends', async () => {
  const world = aWorld({ profile: { statusInquiry: true } });
  const texts = told(world);
  await world.deliver(aRecord(withContext(aPayoutJob())));
  world.gateway.statusStays('approved');
  await world.pass(60_000);
  expect(world.results.taken.map(({ status }) => status)).toEqual(['accepted', 'approved']);
  for (const text of texts) expect(text).toContain(`,"context":${context}}`);
});

it('on the result of an order whose answer could not be written at once', async () => {
  const world = aWorld();
  const texts = told(world);
  world.orders.stays('down', 'write');
  await world.deliver(aRecord(withContext(aPayoutJob())));
  world.orders.stays('up', 'write');
  await world.inquire();
  expect(world.results.taken).toMatchObject([{ status: 'accepted' }]);
  expect(texts[0]).toContain(`,"context":${context}`);
});

it('on the result of a message that was refused', async () => {
  const world = aWorld();
  const texts = told(world);
  await world.deliver(aRecord(withContext(aPayoutJob({ params: { amount: 'much' } }))));
  expect(world.results.taken).toMatchObject([{ status: 'rejected', failure: { code: 'INVALID_MESSAGE' } }]);
  expect(texts[0]).toContain(`"context":${context}`);
});

it('on the result of an order that was brought back from the dead-letter queue', async () => {
  const { world, ports, lay, deliverRedriven } = aDeadLetterWorld();
  const texts = told(world);
  world.gateway.moods('refuses the connection');
  await world.deliver(aRecord(withContext(aPayoutJob()), { sentAtMs: longAgoMs }));
  lay();
  const { plan } = await planRedrive(() => true, ports);
  await redriveDeadLetters(plan, ports);
  await deliverRedriven();
  expect(world.results.taken.at(-1)).toMatchObject({ status: 'accepted' });
  expect(texts.at(-1)).toContain(`"context":${context}`);
});

it('a card number is found in it by the digits that were written, under a name that stands twice too', async () => {
  const world = aWorld();
  const cards = ['{"a":4000000000000000006}', '{"a":"4111111111111111","a":"x"}', '{"a":{"4111 1111 1111 1111":1}}'];
  const none = ['{"a":4000000000000000000}', '{"a":[41111111,11111111]}'];
  for (const [n, own] of [...cards, ...none].entries())
    await world.deliver(
      aRecord(JSON.stringify(aPayoutJob({ orderId: `INV-${n}` })).replace('{', `{"context":${own},`)),
    );
  expect(world.results.taken.map(({ failure }) => failure?.code)).toEqual([
    ...cards.map(() => 'PLAIN_CARD_DATA'),
    ...none.map(() => undefined),
  ]);
  for (const text of [...world.results.taken, ...world.jobsQueue.deadLetters.taken].map((it) => JSON.stringify(it)))
    expect(text).not.toMatch(/4111111111111111|4111 1111|4000000000000000006/);
});
