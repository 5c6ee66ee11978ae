// Proof of silence: known card numbers, CVVs and keys go through every path; afterwards every byte of queues, ledger,
// logs and of what the tool prints is looked through.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CardKeyStore } from '../../lib/card-data/sealed-params.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob, testCards } from '../support/jobs.ts';
import { type Known, scan } from './scanner.ts';
import { type Remains, runSilently } from './silent-run.ts';

const cards: readonly Known[] = [
  { name: 'sending card', value: testCards.sender },
  { name: 'receiving card', value: testCards.receiver },
  { name: 'cardholder', value: 'JANE DOE' },
];
// Three digits occur everywhere; a CVV is told by the name before it.
const cvvs: readonly Known[] = ['"cvv2":"737"', 'cvv2=737', '"cvv":"737"', 'CVV 737'].map((value) => ({
  name: 'CVV',
  value,
}));

/** Ends of orders that the simulator brings about. */
const ends = ['approve', 'decline', 'stall-after', 'reset-after', 'empty-200-after', 'http-500-after', 'refuse'];

const transfer = (orderId: string) => aTransferJob({ orderId });
const text = JSON.stringify;

const poison = [
  'card 4111 1111 1111 1111, CVV 737',
  Buffer.from('pan=4111111111111111&cvv2=737').toString('base64'),
  encodeURIComponent('{"credit_card_number":"4111111111111111","cvv2":"737"}'),
  '%34%31%31%31%31%31%31%31%31%31%31%31%31%31%31%31',
  text({ ...transfer('TRF-odd'), surprise: { deep: [{ number: '4111-1111-1111-1111', cvv: '737' }] } }),
  text({ ...transfer('TRF-cut') }).slice(0, -40),
  '{"pan":"41111111\n11111111"}',
  text(aPayoutJob({ merchant: 'unknown-eu', orderId: 'INV-unknown', context: { card: testCards.sender } })),
  text(aPayoutJob({ orderId: 'INV-context', context: { card: testCards.sender } })),
  text(aPayoutJob({ orderId: 'INV-text', params: { order_desc: `refund to ${testCards.sender}` } })),
  text({ ...aPayoutJob({ orderId: 'INV-odd', context: { card: testCards.sender } }), surprise: true }),
];

async function bodies(cardKeys: CardKeyStore) {
  const sealed = await Promise.all(
    ends.map(async (end) => text(await sealJob(transfer(`SEALED.${end}`), { jwks: cardJwks, cardKeys }))),
  );
  const seal = { jwks: cardJwks, cardKeys };
  const unreachable = await sealJob(aTransferJob({ merchant: 'initech-uk', orderId: 'SEALED-down' }), seal);
  const another = await sealJob(transfer('SEALED-later'), seal);
  const [first = ''] = sealed;
  const moved = text({ ...JSON.parse(first), orderId: 'MOVED-1' });
  const later = [first, text(another), text(unreachable), moved, text(transfer('PLAIN-1')), ...poison];
  return { first: sealed, later };
}

describe('card data and keys', () => {
  let directory = '';
  let remains: Remains;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'payouts-silence-'));
    const commands = [
      ['order', 'acme-eu/SEALED-later'],
      ['order', 'acme-eu/SEALED.stall-after', '--json'],
      ['order', 'acme-eu/PLAIN-1', '--json'],
      ['todo', '--held'],
      ['todo', '--held', '--json'],
      ['dlq', 'list'],
      ['dlq', 'list', '--json'],
      ['dlq', 'plan', '--json'],
      ['dlq', 'discard', '--order', 'acme-eu/PLAIN-1', '--reason', 'never to be sent', '--yes'],
      ['dlq', 'redrive', '--all', '--yes'],
      ['secrets', 'check', 'acme-eu'],
      ['keys', 'new', 'acme-eu'],
      [
        'release',
        'acme-eu/SEALED.stall-after',
        '--as',
        'paid',
        '--reason',
        'seen in the back office',
        '--seen',
        'AAAAAAAAAAAAAAAA',
      ],
    ];
    remains = await runSilently({ directory, bodies, commands });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('were there: orders were sent, refused and left in doubt', () => {
    const results = remains.texts.get('queue results') ?? '';
    for (const status of ['accepted', 'rejected', 'held']) expect(results).toContain(`\\"status\\":\\"${status}\\"`);
    for (const code of ['PLAIN_CARD_DATA', 'SEALED_PARAMS_INVALID', 'INVALID_MESSAGE', 'HELD_CARD_DATA']) {
      expect(results).toContain(code);
    }
    expect(remains.texts.get('payouts dlq list')).toMatch(/PLAIN_CARD_DATA[\s\S]*\n\d+ dead letters\n$/);
    expect(remains.texts.get('payouts keys new acme-eu')).toContain('BEGIN PUBLIC KEY');
    expect(remains.keys.length).toBeGreaterThan(8);
    expect(remains.texts.get('worker.log')?.length).toBeGreaterThan(1000);
  });

  it('are nowhere in what is left', () => {
    const known = [...cards, ...cvvs, ...remains.keys];
    const found = [...remains.texts].flatMap(([where, left]) => scan(where, left, known));
    expect(found).toEqual([]);
  });
});
