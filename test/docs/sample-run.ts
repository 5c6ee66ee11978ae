// What the sample jobs come to, as the README quotes it: the README is held to these figures, and a run of the sample to
// them too, so that what `npm start` prints and what the README says can't part. The time alone is a machine's own.
import type { Accounts } from '../../lib/local/accounts.ts';

/** The seconds that the README names: of one quiet machine. */
export const quotedMs = 31_900;

/** The books of `npm start`. */
export const quotedAccounts: Accounts = {
  messages: 255,
  orders: 245,
  deadLetters: 5,
  endings: {
    paid: 59,
    accepted: 138,
    checked: 30,
    declined: 2,
    failed: 12,
    'in doubt': 14,
    waiting: 0,
    'dead letter only': 0,
    missing: 0,
  },
  money: [
    money('EUR', ['175424.86', 145], ['165660.99', 136], ['9763.87', 9]),
    money('GBP', ['0.00', 0], ['0.00', 0], ['0.00', 0]),
    money('JPY', ['10514917', 20], ['10514917', 20], ['0', 0]),
    money('KWD', ['221.922', 5], ['221.922', 5], ['0.000', 0]),
    money('USD', ['45051.93', 33], ['45051.93', 33], ['0.00', 0]),
  ],
  paidTwice: [],
  disagreements: [],
  agree: true,
};

type Sum = readonly [amount: string, orders: number];

function money(
  currency: string,
  [counted, countedOrders]: Sum,
  [accepted, acceptedOrders]: Sum,
  [inDoubtCounted, inDoubtCountedOrders]: Sum,
) {
  const difference = counted.replace(/\d+/, '0').replace(/\.\d+/, (digits) => digits.replaceAll(/\d/g, '0'));
  return {
    currency,
    counted,
    countedOrders,
    accepted,
    acceptedOrders,
    inDoubtCounted,
    inDoubtCountedOrders,
    difference,
  };
}
