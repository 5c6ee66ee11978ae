// Ten messages of one delivery: what one of them does to the worker must not reach the nine others.
import { expect, it } from 'vitest';
import { letterView } from '../../lib/dead-letters/dead-letter.ts';
import { scanDeadLetters } from '../../lib/dead-letters/scan-dead-letters.ts';
import type { LinePorts } from '../../lib/payout/waiting/run-lines.ts';
import { aDeadLetterWorld } from '../support/dead-letter-world.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aWorld, type World } from '../support/world.ts';

const nine = Array.from({ length: 9 }, (_, n) => aRecord(aPayoutJob({ orderId: `INV-${n + 1}` })));
const paid = (world: World) =>
  world.results.taken.filter(({ status }) => status === 'accepted').map(({ orderId }) => orderId);
const ofNine = nine.map((_, n) => `INV-${n + 1}`);

it('one whose field throws when it is read as text is a dead letter with its reason, and the list shows it', async () => {
  // given
  const { world, lay, ports } = aDeadLetterWorld();
  const odd = { ...aPayoutJob({ orderId: 'ODD' }), notBefore: { toString: 1 } };
  // when
  expect(await world.deliver([...nine, aRecord(JSON.stringify(odd), { messageId: 'odd-1' })])).toEqual([]);
  // then nine are paid and published on this first receive
  expect(paid(world)).toEqual(ofNine);
  expect(world.gateway.posts).toHaveLength(9);
  // and the tenth says why, to its sender and to whoever lists dead letters
  expect(world.jobsQueue.deadLetters.taken).toMatchObject([{ reason: { code: 'INVALID_MESSAGE' } }]);
  lay();
  const listed: unknown[] = [];
  await scanDeadLetters(async (letters) => {
    listed.push(...letters.map(letterView));
    return {};
  }, ports);
  expect(listed).toMatchObject([{ order: 'acme-eu/ODD', code: 'INVALID_MESSAGE', reason: 'notBefore is not text' }]);
});

it.each<[what: string, stays: readonly string[], breakOne: (world: World) => Partial<LinePorts>]>([
  [
    'a gate, and the choice of its wait',
    ['odd-1'],
    ({ ports: { gates, random } }) => ({
      gates: [
        { name: 'expiry', ask: async ({ job }) => (job.orderId === 'ODD' ? throwing() : { kind: 'go' }) },
        ...gates,
      ],
      random: { ...random, chance: throwing },
    }),
  ],
  [
    'its line of the log, after it was paid,',
    [],
    ({ ports: { log } }) => ({
      log: {
        write(level, event, fields) {
          if (fields.orderId === 'ODD') throwing();
          log.write(level, event, fields);
        },
      },
    }),
  ],
])('%s throws: the others are paid, published and acknowledged', async (_, stays, breakOne) => {
  const world = aWorld();
  const odd = aRecord(aPayoutJob({ orderId: 'ODD' }), { messageId: 'odd-1' });
  expect(await world.deliver([odd, ...nine], undefined, breakOne(world))).toEqual(stays);
  expect(paid(world)).toEqual(expect.arrayContaining(ofNine));
  expect(world.gateway.posts).toHaveLength(10 - stays.length);
  expect(world.log.find(({ event }) => event === 'job-failed')?.fields).toMatchObject({ messageId: 'odd-1' });
});

function throwing(): never {
  throw new RangeError('odd');
}
