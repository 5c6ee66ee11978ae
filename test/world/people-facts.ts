// What people do around the worker: senders, operators, whoever deploys. No page says so; each has been done.
import type { Fact } from './fact.ts';

/** People. */
export const peopleFacts: readonly Fact[] = [
  {
    does: 'A sender sends the whole file again, or one line of it twice.',
    breaks: 'Each line is a new message with a new id, and a new payment.',
    fault: 'the whole file is sent again',
    bug: 'a message of an order that is accepted is sent again',
  },
  {
    does: 'A sender uses an order id again for another amount.',
    breaks: 'The second order is taken for the first, or pays what the first one asked for.',
    fault: 'messages arrive out of order',
    tests: ['test/journey/order-id-reused.test.ts'],
    bug: 'an order id with another content is taken for the same order',
  },
  {
    does: 'A sender dies between leaving the key of a CVV and sending the job.',
    breaks: 'The key of an order that was never sent lies there for good, or an order goes without its CVV.',
    fault: 'the key of a CVV is not as its sender left it',
    bug: 'an order whose CVV is gone is sent without it',
  },
  {
    does: 'An operator says "not paid" of an order that the gateway has.',
    breaks: "It is sent again at a person's word.",
    fault: 'an operator takes an order for not paid that the gateway has',
    tests: ['test/payout/operate/decide.test.ts', 'test/journey/released.test.ts'],
    bug: 'an order is released without asking the gateway',
  },
  {
    does: 'An operator redrives the dead letters, twice, a day or a year later.',
    breaks: 'What has ended since is sent again.',
    fault: 'dead letters are redriven',
    tests: ['test/dead-letters/redrive-plan.test.ts'],
    bug: 'a message of an order that is failed is sent again',
  },
  {
    does: 'An operator pauses a merchant in the middle of a file.',
    breaks: 'What was received before the pause goes on leaving.',
    fault: 'a merchant is paused in the middle',
    tests: ['test/journey/paused-merchant.test.ts'],
    bug: 'a pause is not honoured',
  },
  {
    does: 'Somebody tidies up the ledger.',
    breaks: 'An order that is in doubt can be claimed from the beginning.',
    fault: 'a deleted message comes again',
    tests: ['test/infra/stack.test.ts'],
    bug: 'the record is deleted on an error',
  },
];
