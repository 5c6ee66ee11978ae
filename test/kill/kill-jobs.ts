// Jobs for the kill runs, made from a seed: every operation, several currencies, and one order in seven sent twice, the
// copy anywhere behind its original.
import type { Random } from '../../lib/payout/ports.ts';

/** Message bodies in the order in which they are sent; `orders` different orders in them. */
export function killJobs(orders: number, random: Pick<Random, 'chance'>): string[] {
  const bodies = Array.from({ length: orders }, (_, index) => JSON.stringify(aJob(index + 1, random)));
  for (const body of bodies.slice(0, Math.floor(orders / 7))) {
    bodies.splice(Math.floor(random.chance() * bodies.length), 0, body);
  }
  return bodies;
}

function aJob(number: number, random: Pick<Random, 'chance'>) {
  const pick = <T>(...values: [T, ...T[]]): T => values[Math.floor(random.chance() * values.length)] ?? values[0];
  const euros = (1 + random.chance() * 5000).toFixed(2);
  // Some are refused, and a few are sent away once: the first has an end without money, the second is sent again. Where
  // many are sent away, whatever the pace, the lane goes ever slower, and the run takes minutes.
  const fate = random.chance();
  const marker = fate < 0.07 ? '.validation-error' : fate < 0.08 ? '.rate-limited-once' : '';
  const id = `${String(number).padStart(5, '0')}${marker}`;
  const acme = { version: 1, merchant: 'acme-eu', endpointId: '39915', batchId: 'kill-run' };
  const globex = { ...acme, merchant: 'globex-us', endpointId: '40217' };
  const kinds: [object, ...object[]] = [
    {
      ...acme,
      operation: 'payout',
      orderId: `PAY-${id}`,
      params: { amount: euros, currency: pick('EUR', 'GBP', 'USD'), account_number: 'DE89370400440532013000' },
    },
    {
      ...acme,
      operation: 'transfer',
      orderId: `TRF-${id}`,
      params: {
        amount: euros,
        currency: 'EUR',
        card_recurring_payment_id: '488625',
        destination_card_recurring_payment_id: '430537',
      },
    },
    {
      ...globex,
      operation: 'transfer-by-ref',
      orderId: `REF-${id}`,
      params: { amount: euros.split('.')[0] ?? '1', currency: 'JPY', 'destination-card-ref-id': '711438' },
    },
    {
      ...globex,
      operation: 'payout',
      orderId: `OUT-${id}`,
      params: { amount: `${euros}0`, currency: 'KWD', account_number: 'DE89370400440532013000' },
    },
  ];
  const check = {
    ...globex,
    operation: 'pan-eligibility',
    orderId: `CHK-${id}`,
    params: { 'sending-card-ref-id': '579159' },
  };
  return random.chance() < 0.05 ? check : pick(...kinds);
}
