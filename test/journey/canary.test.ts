// The story of a canary order: the sweeper sends it, whichever version is called takes it all the way of an order, its result names that
// version, and who reads results leaves it aside.
import type { SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { createSqsResults } from '../../lib/aws/sqs-queues.ts';
import { parseResult } from '../../lib/client/read-result.ts';
import { withCanary } from '../../lib/payout/canary.ts';
import type { GatewayMood } from '../support/fake-gateway.ts';
import { someCredentials } from '../support/fake-credentials.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

/** A queue of results as a version writes to it: its messages, and the version that each names. */
function aResultsQueue() {
  const taken: { readonly body: string; readonly madeBy: string | undefined }[] = [];
  const client = {
    async send({ input }: { readonly input: SendMessageBatchCommandInput }) {
      for (const { MessageBody: body = '', MessageAttributes } of input.Entries ?? [])
        taken.push({ body, madeBy: MessageAttributes?.['madeBy']?.StringValue });
      return {};
    },
  } as unknown as SQSClient;
  const writtenBy = (madeBy: string) => createSqsResults({ client, queueUrl: 'results', madeBy });
  return { taken, writtenBy };
}

/** The canary order of this minute, as it lies on the jobs queue. */
async function theCanaryOf({ clock, ports }: World): Promise<string> {
  const sent: string[] = [];
  const live = { name: 'live-functions', run: async () => ({ trafficShifts: 1 }) };
  const canary = { endpointId: '39915', cardReference: '1234567890' };
  const sendJob = async (body: string) => void sent.push(body);
  await withCanary(live, canary, { sendJob, clock, log: ports.log }).run(Infinity);
  return sent.join('');
}

/** Its approver demands two persons, so that no payout leaves in its name. */
const aCanaryWorld = () => aWorld({ merchants: { canary: someCredentials({ profile: { twoPersonRelease: true } }) } });

it('a canary order is a check at the gateway, and its result names the version that made it', async () => {
  // given a rollout, and a version of submit that is given this message
  const world = aCanaryWorld();
  const queue = aResultsQueue();
  const record = aRecord(await theCanaryOf(world), { messageId: 'm-1' });

  // when it is delivered
  const results = queue.writtenBy('payouts-prod-submit:8');
  expect(await world.deliver(record, undefined, { results })).toEqual([]);

  // then the gateway was asked about the card, and about no money
  const asked = world.gateway.posts.map(({ url, fields }) => [
    url,
    ...fields.filter(([name]) => !name.startsWith('oauth')),
  ]);
  expect(asked).toEqual([
    [
      'https://gateway.test/paynet/api/v2/pan-eligibility/send/39915',
      ['client-order-id', 'canary-202611211000'],
      ['sending-card-ref-id', '1234567890'],
    ],
  ]);

  // and who reads the result knows whose it is, and which version made it
  expect(queue.taken.map(({ body, madeBy }) => [JSON.parse(body), parseResult(body), madeBy])).toEqual([
    [
      expect.objectContaining({ merchant: 'canary', orderId: 'canary-202611211000', status: 'accepted', revision: 1 }),
      { kind: 'canary' },
      'payouts-prod-submit:8',
    ],
  ]);

  // and where the message comes again to the version before, the same result is told word for word
  const before = queue.writtenBy('payouts-prod-submit:7');
  await world.deliver({ ...record, attributes: { ...record.attributes, ApproximateReceiveCount: '2' } }, undefined, {
    results: before,
  });
  const [first, again, ...more] = queue.taken;
  expect(again).toEqual({ body: first?.body, madeBy: 'payouts-prod-submit:7' });
  expect(more).toEqual([]);
  expect(world.gateway.posts).toHaveLength(1);
});

describe('a canary order is counted', () => {
  const counted = async (...moods: GatewayMood[]) => {
    const world = aCanaryWorld();
    world.gateway.moods(...moods);
    await world.deliver(aRecord(await theCanaryOf(world)));
    const { canariesAnswered = 0, canariesFailed = 0 } = world.figures.at(-1)?.values ?? {};
    return { canariesAnswered, canariesFailed };
  };

  it('as answered where the gateway took it', async () => {
    expect(await counted('accepts')).toEqual({ canariesAnswered: 1, canariesFailed: 0 });
  });

  it.each<GatewayMood>(['refuses the order', 'refuses the connection', 'stalls', 'fails'])(
    'as failed by the version whose POST the gateway %s',
    async (mood) => {
      expect(await counted(mood)).toEqual({ canariesAnswered: 0, canariesFailed: 1 });
    },
  );

  it('as failed where its signature is refused, of a fresh secret too', async () => {
    expect(await counted('refuses the signature', 'refuses the signature')).toEqual({
      canariesAnswered: 0,
      canariesFailed: 1,
    });
  });

  it('by each version that tried: one may fail at it where another does not', async () => {
    const world = aCanaryWorld();
    world.gateway.moods('refuses the connection');
    await world.deliver(aRecord(await theCanaryOf(world)));
    expect(world.figures.at(-1)?.values).toMatchObject({ canariesFailed: 1 });
    world.clock.advance(20_000);
    await world.again();
    expect(world.figures.at(-1)?.values).toMatchObject({ canariesAnswered: 1 });
    expect(world.figures.at(-1)?.values).not.toHaveProperty('canariesFailed');
  });
});
