// M3: the gateway takes the order, and its answer looks like a refusal: it cannot be read, or its status is on no list.
import { describe, expect, it } from 'vitest';
import { aPayoutJob } from '../support/jobs.ts';
import { type Answer, http } from './gateway.ts';
import { hours, minutes, seconds, storyWorld } from './harness.ts';

const refusal = (orderId: string, id: string) =>
  JSON.stringify({ type: 'error', 'error-code': '2', 'merchant-order-id': orderId, 'paynet-order-id': id });
const refusalInForm = (orderId: string, id: string) =>
  `type=error\n&error-code=2\n&merchant-order-id=${orderId}\n&paynet-order-id=${id}\n`;

const unreadable: readonly (readonly [what: string, body: (orderId: string, id: string) => string])[] = [
  ['cut by a byte', (...order) => refusal(...order).slice(0, -1)],
  ['cut within the name of the id', (orderId, id) => refusal(orderId, id).replace(/aynet-order-id.*/, '')],
  ['form text, cut within the name of the id', (...order) => refusalInForm(...order).replace(/r-id=\d+\n$/, '')],
  ['an array', (...order) => `[${refusal(...order)}]`],
  ['with a field twice', (...order) => refusal(...order).replace('{', '{"type":"validation-error",')],
];

const answers: readonly (readonly [what: string, answer: Answer])[] = [
  ...[401, 403, 429].flatMap((status) =>
    unreadable.map(
      ([what, body]) => [`${status}, ${what}`, (...order: Parameters<Answer>) => http(status, body(...order))] as const,
    ),
  ),
  ...[444, 460, 499].map((status) => [`${status}, which is on no list`, () => http(status, '')] as const),
];

it.each([
  ['429 with an empty body', () => http(429, '', 1)],
  ['403 with a page', () => http(403, '<html><body><h1>403 Forbidden</h1></body></html>')],
] as const)('an order that was refused by a load balancer, by %s, is sent again and paid', async (_, answer) => {
  // given
  const world = storyWorld();
  world.gateway.answers('INV-1', { as: '429', answers: answer });
  // when
  world.send(aPayoutJob());
  await world.pass(3 * hours);
  // then
  expect(world.gateway.posts('INV-1')).toBe(2);
  expect(world.gateway.payments('INV-1')).toHaveLength(1);
  expect(world.last('INV-1')?.status).toBe('accepted');
});

describe.each(answers)('an order that was taken, answered by %s', (_, answer) => {
  it('is POSTed once, in doubt, and ends by the answer to an inquiry', async () => {
    // given: the status desk needs some minutes to know the order
    const world = storyWorld({ profile: { statusInquiry: true } });
    world.gateway.desk('INV-1', 'no such order');
    world.gateway.answers('INV-1', ...Array.from({ length: 9 }, () => ({ as: 'taken', answers: answer }) as const));
    world.after(20 * minutes, () => world.gateway.desk('INV-1', 'truth'));
    // when
    world.send(aPayoutJob());
    await world.pass(30 * seconds);
    // then
    expect(world.last('INV-1')?.status).toBe('in-doubt');
    await world.pass(20 * minutes);
    world.gateway.ends('INV-1', 'approved');
    await world.pass(3 * hours);
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.status).toBe('approved');
  });

  it('is POSTed once, and waits for a person if the gateway cannot be asked', async () => {
    // given
    const world = storyWorld();
    world.gateway.answers('INV-1', ...Array.from({ length: 9 }, () => ({ as: 'taken', answers: answer }) as const));
    // when
    world.send(aPayoutJob());
    await world.pass(3 * hours);
    // then
    expect(world.gateway.posts('INV-1')).toBe(1);
    expect(world.last('INV-1')?.status).toBe('held');
  });
});
