// How much card data is found, and how many honest references are taken for it: every disguise and every kind of reference
// of test/support/disguised-cards.ts by the thousand. And that the work grows with the length of a text and no faster.
import { cardDataInName, holdsCardData, isCardAccount, withoutCardData } from '../../lib/gateway/redact.ts';
import {
  aCardNumber,
  disguises,
  gluedForms,
  inNames,
  orderIds,
  realDisguises,
  references,
} from '../support/disguised-cards.ts';
import { createSeededRandom } from '../support/time-and-chance.ts';
import type { Benchmark, Bound, Measurement } from './harness.ts';

const leastFoundPercent = 99.9;
const mostRefusedPercent = 0.1;
/** One in ten thousand: of each kind so many are made, and not one may be taken for a card. */
const namesOfAKind = 20_000;
const mostNamesRefusedPercent = 0.01;

/** All benchmarks of this file. */
export const cardDetectionBenchmarks: readonly Benchmark[] = [
  {
    name: 'card-detection',
    description: '100,000 card numbers in disguise and 100,000 honest references: percent found, masked and refused',
    run: async ({ jobs = 100_000 }) => measured(jobs),
  },
  {
    name: 'card-detection-linear',
    description: 'time for hostile texts of 64 KB beside that for 32 KB; 2 is linear, 4 would be quadratic',
    run: async () => growth(),
  },
];

/** Percent of each kind for which it holds. */
function measured(count: number): Measurement {
  const { chance } = createSeededRandom(20_261_122);
  const figures: Record<string, number> = {};
  const bounds: Bound[] = [];
  const shareOf = (times: number, holds: () => boolean) =>
    (100 * Array.from({ length: times }, holds).filter(Boolean).length) / times;
  const least = (figure: string, share: number) => {
    figures[figure] = share;
    bounds.push({ kind: 'least', figure, least: leastFoundPercent });
  };
  const most = (figure: string, share: number) => {
    figures[figure] = share;
    bounds.push({ kind: 'most', figure, most: mostRefusedPercent });
  };
  const ofEach = (kinds: object) => Math.ceil(count / Object.keys(kinds).length);

  for (const [kind, disguise] of Object.entries(disguises))
    least(
      `found, ${kind}`,
      shareOf(ofEach(disguises), () => holdsCardData(disguise(aCardNumber(chance), chance))),
    );
  for (const [kind, disguise] of Object.entries(realDisguises))
    least(
      `found, ${kind}`,
      shareOf(ofEach(disguises), () => holdsCardData(disguise(aCardNumber(chance)))),
    );
  for (const kind of inNames)
    least(
      `found in an order id, ${kind}`,
      shareOf(
        ofEach(disguises),
        () => cardDataInName(disguises[kind]?.(aCardNumber(chance), chance) ?? '') !== undefined,
      ),
    );
  for (const [kind, orderId] of Object.entries(orderIds)) {
    figures[`refused as order id, ${kind}`] = shareOf(
      namesOfAKind,
      () => cardDataInName(orderId(chance)) !== undefined,
    );
    bounds.push({ kind: 'most', figure: `refused as order id, ${kind}`, most: mostNamesRefusedPercent });
  }
  for (const [kind, disguise] of Object.entries(gluedForms))
    least(
      `masked, ${kind}`,
      shareOf(ofEach(disguises), () => {
        const number = aCardNumber(chance);
        return !withoutCardData(disguise(number, chance)).includes(number);
      }),
    );
  for (const [kind, reference] of Object.entries(references)) {
    most(
      `refused, ${kind}`,
      shareOf(ofEach(references), () => holdsCardData(reference(chance))),
    );
    if (/IBAN|account|CLABE/.test(kind))
      most(
        `refused as account, ${kind}`,
        shareOf(ofEach(references), () => isCardAccount(reference(chance))),
      );
  }
  return { figures, bounds };
}

/** What a sender or a gateway may repeat to make the work grow. */
const hostile = ['4 ', '4', '4111 ', '%34', 'cvv::', 'DE89 ', '2026-11-22 ', 'QUJD', '+49 ', 'c v ', '4.1', '１', '"a":"', '=34']; // prettier-ignore
const chars = 32_768;

function growth(): Measurement {
  const timeOf = (text: string) => {
    const startedMs = performance.now();
    holdsCardData(text);
    withoutCardData(text);
    return performance.now() - startedMs;
  };
  const best = (text: string) => Math.min(...Array.from({ length: 5 }, () => timeOf(text)));
  const times = hostile.map((part) => {
    const whole = part.repeat(chars / part.length);
    return { once: best(whole), twice: best(whole + whole) };
  });
  const sum = (of: 'once' | 'twice') => times.reduce((total, it) => total + it[of], 0);
  return {
    figures: {
      'all texts': sum('twice') / sum('once'),
      'worst text': Math.max(...times.map(({ once, twice }) => twice / Math.max(once, 1))),
    },
    bounds: [
      { kind: 'most', figure: 'all texts', most: 3 },
      { kind: 'most', figure: 'worst text', most: 8 },
    ],
  };
}
