// A flood at the public door: forged callbacks as fast as Lambda lets them in, for ten minutes. Counted, by a clock of its own.
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { callbackPorts, createCallback } from '../../functions/callback.ts';
import { floodOf } from '../bench/price-model.ts';
import { someControlKey } from '../support/fake-credentials.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { startScriptedAws } from '../support/scripted-aws.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import { aWorld, functionsOver } from '../support/world.ts';

const concurrency = 10;
const { seconds, perSecond, lineBytes } = floodOf(concurrency);

it('changes no order, asks the ledger nothing, and no claim waits for it', async () => {
  // given an order that was accepted, one in doubt, and a door over a ledger whose every use by callbacks is noted
  const world = aWorld();
  await world.deliver(aRecord(aPayoutJob({ orderId: 'ACCEPTED' })));
  world.gateway.moods('stalls');
  await world.deliver(aRecord(aPayoutJob({ orderId: 'IN-DOUBT' })));
  world.gateway.moods('accepts');
  const before = new Map(world.items);
  const used: string[] = [];
  const noted = <T extends object>(port: T, name: string): T =>
    Object.fromEntries(
      Object.entries(port).map(([verb, does]) => [
        verb,
        (...args: unknown[]) => (used.push(`${name}.${verb}`), (does as (...its: unknown[]) => unknown)(...args)),
      ]),
    ) as T;
  const { orders, credentials, ...others } = world.ports;
  const ports = { ...others, orders: noted(orders, 'orders'), credentials: noted(credentials, 'credentials') };
  const { door } = functionsOver(ports);
  used.splice(0);

  // when strangers forge in every way that costs a look, and each second a job comes
  const { chance } = createSeededRandom(8);
  const some = <T>(list: readonly T[]): T | undefined => list[Math.floor(chance() * list.length)];
  const forged = () => {
    const says = {
      status: some(['approved', 'declined', 'x']),
      orderid: '9000001',
      client_orderid: some(['ACCEPTED', 'IN-DOUBT', 'NONE']),
    };
    const control = createHash('sha1')
      .update(`${Object.values(says).join('')}${some(['', `${someControlKey}x`])}`)
      .digest('hex');
    const query = new URLSearchParams({ ...says, control, amount: '0.01' } as Record<string, string>);
    return {
      rawPath: `/${some(['acme-eu', 'acme-us', 'unknown-eu', '_worker', ''])}`,
      rawQueryString: `${query}`,
      isBase64Encoded: false,
    };
  };
  const answers = new Set<number | undefined>();
  for (let second = 0; second < seconds; second += 1) {
    for (let n = 0; n < perSecond; n += 1) answers.add((await door(forged())).statusCode);
    const usedByFlood = used.splice(0);
    expect(usedByFlood).toEqual([]);
    await world.deliver(aRecord(aPayoutJob({ orderId: `N-${second}` })));
    expect(world.gateway.posts.at(-1)).toMatchObject({ orderId: `N-${second}`, atMs: world.clock.nowMs() });
    world.log.splice(0);
    world.clock.advance(1_000);
  }

  // then
  expect([...answers]).toEqual([503]);
  expect(new Map([...world.items].filter(([key]) => before.has(key)))).toEqual(before);
  expect(world.items.size).toBe(before.size + seconds);
});

it('costs less than a dollar, by what the shipped function writes and asks', async () => {
  // given the function as it ships
  const aws = await startScriptedAws();
  const body = { SecretString: JSON.stringify({ 'acme-eu': ['control-key'] }), VersionId: 'v-1' };
  aws.answers.set('GetSecretValue payouts/_callback', { status: 200, body });
  const lines: string[] = [];
  const handler = createCallback(callbackPorts(aws.config, (line) => void lines.push(line)));

  // when
  const forged = {
    path: '/acme-eu',
    query: `status=approved&orderid=1&client_orderid=1&control=${'0'.repeat(40)}`,
    form: '',
  };
  for (let n = 0; n < 100; n += 1)
    expect(await handler(forged, { awsRequestId: 'r'.repeat(36) })).toEqual({ answer: 'refused' });
  await aws.close();

  // then
  expect(aws.asked).toEqual(['GetSecretValue payouts/_callback']);
  expect(lines.join('').length / 100).toBeLessThanOrEqual(lineBytes);
  expect(floodOf(concurrency).dollars).toBeLessThan(1);
});
