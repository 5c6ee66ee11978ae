// The public door: one invocation of `callback` for each request, and 200 for nothing but its two answers that leave nothing to store.
import { describe, expect, it } from 'vitest';
import { createDoor } from '../../functions/door.ts';
import type { DoorMessage } from '../../lib/aws/lambda-handler.ts';
import { functionsOver } from '../support/world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { someControlKey } from '../support/fake-credentials.ts';
import { aWorld } from '../support/world.ts';
import { createHash } from 'node:crypto';

const request = { rawPath: '/acme-eu', rawQueryString: 'status=approved', isBase64Encoded: false };

/** A door to a function that answers like this, and what it was invoked with. */
function aDoor(answer: (message: DoorMessage) => Promise<unknown>) {
  const invoked: DoorMessage[] = [];
  const handOn = (message: DoorMessage) => {
    invoked.push(message);
    return answer(message);
  };
  return { invoked, door: createDoor({ handOn, log: { write: () => {} } }) };
}

it.each([
  [{ answer: 'stored' }, 200],
  [{ answer: 'nothing-to-store' }, 200],
  [{ answer: 'refused' }, 503],
  [{ answer: 'Stored' }, 503],
  [{ statusCode: 200 }, 503],
  ['stored', 503],
  [null, 503],
  [undefined, 503],
])('the answer %j is told as %i', async (answer, statusCode) => {
  const { door, invoked } = aDoor(async () => answer);
  expect(await door(request)).toEqual({ statusCode, body: '' });
  expect(invoked).toEqual([{ path: '/acme-eu', query: 'status=approved', form: '' }]);
});

it('an invocation that fails is tried once, and told as 503', async () => {
  const { door, invoked } = aDoor(async () => Promise.reject(new Error('TooManyRequestsException')));
  expect((await door(request)).statusCode).toBe(503);
  expect(invoked).toHaveLength(1);
});

it('a request above 8 KB invokes nothing', async () => {
  const { door, invoked } = aDoor(async () => ({ answer: 'stored' }));
  expect((await door({ ...request, body: 'x'.repeat(8_192) })).statusCode).toBe(503);
  expect(invoked).toEqual([]);
});

describe('where the function stores a callback and its answer comes too late', () => {
  it('the gateway hears 503, calls again, and the same facts are one', async () => {
    // given
    const world = aWorld();
    await world.deliver(aRecord(aPayoutJob()));
    const { callback } = functionsOver(world.ports);
    let isSlow = true;
    const { door } = aDoor(async (message) => {
      const answer = await callback(message);
      if (isSlow) throw new Error('AWS gave no whole answer within 18000 ms');
      return answer;
    });
    const control = createHash('sha1').update(`approved9000001INV-1${someControlKey}`).digest('hex');
    const says = { status: 'approved', orderid: '9000001', client_orderid: 'INV-1', amount: '10.42', currency: 'EUR' };
    const genuine = { ...request, rawQueryString: `${new URLSearchParams({ ...says, control })}` };
    // when
    expect((await door(genuine)).statusCode).toBe(503);
    const stored = world.items.get('acme-eu/INV-1');
    isSlow = false;
    // then
    expect((await door(genuine)).statusCode).toBe(200);
    expect(world.items.get('acme-eu/INV-1')).toBe(stored);
    expect(world.entries.get('acme-eu/INV-1')).toMatchObject({ standing: 'paid' });
  });
});
