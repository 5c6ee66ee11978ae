// What the sample jobs come to, as the README quotes it: the README is held to these figures, and a run of the sample to
// them too, so that what `npm start` prints and what the README says can't part. The time alone is a machine's own.
import type { LocalRun } from '../../lib/local/local-run.ts';
import type { Tally } from '../../lib/batches/tally.ts';
import { verdict } from '../../lib/operate/verdict.ts';
import { minorUnitsOf } from '../../lib/gateway/money.ts';
import type { Standing } from '../../lib/payout/order/standing.ts';

const line = (count: number, standing: Standing, amount = '', currency?: string): Tally[number] => ({
  elsewhere: 0,
  count,
  standing,
  ...(currency !== undefined && { currency }),
  minorUnits: currency === undefined ? 0n : minorUnitsOf(amount, currency),
});

/** The run of `npm start`. */
export const quotedRun: Pick<LocalRun, 'messages' | 'deadLetters' | 'elapsedMs' | 'lines' | 'books' | 'verdict'> = {
  messages: 255,
  deadLetters: 5,
  elapsedMs: 36_000,
  lines: [
    line(13, 'held', '17118.00', 'EUR'),
    line(1, 'held-unpaid'),
    line(136, 'accepted', '165660.99', 'EUR'),
    line(20, 'paid', '10514917', 'JPY'),
    line(5, 'paid', '221.922', 'KWD'),
    line(33, 'paid', '45051.93', 'USD'),
    line(30, 'checked'),
    line(2, 'declined', '4049.32', 'EUR'),
    line(2, 'failed', '2871.66', 'EUR'),
    line(3, 'failed', '5869.60', 'GBP'),
    line(1, 'failed', '2417.16', 'USD'),
    line(4, 'rejected'),
    line(2, 'rejected', '10260.64', 'EUR'),
  ],
  books: {
    agree: true,
    paidTwice: [],
    disagreements: [],
    counted: [
      { currency: 'EUR', amount: '175424.86', orders: 145 },
      { currency: 'JPY', amount: '10514917', orders: 20 },
      { currency: 'KWD', amount: '221.922', orders: 5 },
      { currency: 'USD', amount: '45051.93', orders: 33 },
    ],
  },
  verdict: verdict({
    held: 13,
    'held-unpaid': 1,
    accepted: 136,
    paid: 58,
    checked: 30,
    declined: 2,
    failed: 6,
    rejected: 6,
  }),
};
