// What the gateway does. Pages are those of the platform's public documentation, by the name of the page (`api_v4_payout`);
// code is that of the vendor (`vendor:`) or of clients (`client:`). Much is documented nowhere: then the worst is assumed.
import type { Fact } from './fact.ts';

/** The answer to a POST. */
export const answerFacts: readonly Fact[] = [
  {
    does: 'Makes a second order, and a second payment, of an order id that it has seen before.',
    breaks: 'A retry after a time-out pays twice. No key of idempotency is documented.',
    source: 'api_v4_status ("works when that id is unique"), client: three orders under one id',
    fault: 'POST: stalls, order committed',
    bug: 'a time-out is counted as not sent',
  },
  {
    does: 'Takes the order, and the connection breaks before the answer, or in the middle of it.',
    breaks: 'A reset is taken for "not processed".',
    source: 'mpos_test (a stall of 70 s and a 503 that both end approved)',
    fault: 'POST: resets, order committed',
    bug: 'a reset is counted as not sent',
  },
  {
    does: 'Goes on with an order after the client hung up, and commits it later.',
    breaks: 'An inquiry right after the time-out finds nothing, and the order is sent again.',
    fault: 'POST: stalls, order committed late',
    bug: 'a negative answer inside the quiet period is taken as proof',
  },
  {
    does: 'Answers 503 or another 5xx to an order that is approved later.',
    breaks: 'A 5xx is taken for a refusal, or retried as every HTTP client does.',
    source: 'mpos_test (amount 6.00)',
    fault: 'POST: answers 500, order committed',
    bug: 'a 5xx is counted as declined',
  },
  {
    does: 'Answers 401 or 403 although the order was processed; where the order id is in the answer, it was.',
    breaks: 'The status is judged before the identity, and the order is POSTed again with other keys.',
    fault: 'POST: refuses the signature with an order in it, order committed',
    tests: ['test/gateway/answers-that-contradict.test.ts'],
    bug: 'the row "an order identity under any other status, or beside any word of trouble" is missing',
  },
  {
    does: 'Answers 429 with an order id in it.',
    breaks: '"Too many requests" is taken for "not processed", and the order waits to be sent again.',
    fault: 'POST: asks to slow down with an order in it, order committed',
    bug: 'the row "an order identity under any other status, or beside any word of trouble" is missing',
  },
  {
    does: 'Refuses with 200 and `type=error`, or with 4xx and JSON, according to what was asked for.',
    breaks: '"200 is success" pays nobody and says that it did; "4xx is unclear" never ends.',
    source: 'openapi, api_v4_payout, vendor: hosted-fields-examples',
    fault: 'POST: refuses the order',
    bug: 'a 200 is counted as accepted without an id',
  },
  {
    does: 'Puts the refusal anywhere: nested, in words, with a number for a text.',
    breaks: '`{"success": false}` is accepted for an operation whose answer needs no id.',
    fault: 'POST: nests a refusal in its success, nothing committed',
    tests: ['test/gateway/outcome-words.test.ts'],
    bug: 'the row "an order identity under any other status, or beside any word of trouble" is missing',
  },
  {
    does: 'Answers in gzip or in another charset, though neither was asked for.',
    breaks: 'What can not be read is taken for a refusal.',
    fault: 'POST: refuses in an unknown charset, order committed',
    tests: ['test/chaos/odd-gateways.test.ts'],
    bug: 'the row "a status of the profile\'s `doubtfulHttpStatuses`, and any body in an unknown coding or charset" is missing',
  },
  {
    does: 'Answers about another order: a proxy that mixes answers up.',
    breaks: 'One order bears the id, and the end, of another.',
    fault: 'POST: answers for another order, nothing committed',
    bug: 'an answer about another order is accepted',
  },
  {
    does: 'Says that the order exists already, by code 503 or in words; filters of duplicates answer `filtered`.',
    breaks: 'The refusal of the second send is taken for that of the first, which lives.',
    source: 'internal_errors, transaction_filters',
    fault: 'POST: says that the order exists, order committed',
    bug: 'a refusal that says the order exists is counted as declined',
  },
  {
    does: 'Has codes that pass (102, 502, 1001–1004, 1013) beside codes that stay, and says of none which it is.',
    breaks: 'An internal error counts as a decline while the order lives.',
    source: 'internal_errors',
    fault: 'POST: has a passing error, order committed',
    bug: 'the row "a refusal with a temporary code, one that says the order exists already or was filtered, or one with a word of acceptance in it" is missing',
  },
  {
    does: 'Answers 404 where the address is wrong: another brand, another prefix, another endpoint.',
    breaks: 'Hundreds of orders are declined for a slip in one setting.',
    source: 'api_v4_payout ("do not hard-code the path")',
    fault: 'POST: finds nothing at the address',
    tests: ['test/gateway/outcome.test.ts'],
    bug: 'the row "any other 4xx (404, 405, 407 …), which is about the address" is swapped for a decline',
  },
  {
    does: 'Closes the connection instead of saying where its text ends.',
    breaks: 'Half an answer is taken for the whole one; the words that turn it were cut off.',
    source: 'api_v4_payout (printed exchanges)',
    fault: 'POST: breaks off in the body, order committed',
    tests: ['test/chaos/reply-cuts.test.ts'],
    bug: 'the row "no whole answer: reset, closed, time-out, cut off, too long, not HTTP" is missing',
  },
  {
    does: 'Has ids of two kinds: `paynet-order-id`, and `payout-id` or `transaction-id` beside it.',
    breaks: 'The alias is asked about and never found; an order is accepted for ever.',
    source: 'api_v4_payout; the names of the interface document are on no page',
    fault: 'POST: answers with both ids, and one more, order committed',
    tests: ['test/gateway/inquiry.test.ts'],
    bug: 'the row "an order identity under any other status, or beside any word of trouble" is missing',
  },
];

/** Status inquiries. */
export const inquiryFacts: readonly Fact[] = [
  {
    does: 'Says "no such order" (101) of an order that it has: for a while, and perhaps for ever.',
    breaks: 'The denial is taken as proof, and the order is paid again.',
    fault: 'an order is hidden for a while',
    bug: 'a single negative answer is taken as proof',
  },
  {
    does: 'Answers about another order, another amount or another currency than was asked about.',
    breaks: 'The end of another order is written.',
    source: 'api_v4_status ("amount may change during the flow")',
    fault: 'inquiry: answers with another amount',
    bug: 'a status of another amount is taken',
  },
  {
    does: 'Leaves out any field.',
    breaks: 'What is absent is taken for equal.',
    source: 'api_v4_status',
    fault: 'inquiry: answers without naming the order',
    bug: "another order's status is taken",
  },
  {
    does: 'Says `approved` of the reversal of a payment, under the same order id.',
    breaks: '"Approved" is taken for "paid".',
    source: 'client: php-plugin-woocommerce',
    fault: 'inquiry: answers about a reversal',
    tests: ['test/gateway/inquiry.test.ts'],
    bug: 'an approval of another transaction is taken',
  },
  {
    does: 'Uses `error` and `unknown` in two meanings, each the contrary of the other.',
    breaks: 'An order whose end nobody knows counts as declined and sent again.',
    source: 'statuses, order_stage',
    fault: 'an end changes later',
    tests: ['test/gateway/inquiry.test.ts', 'test/gateway/inquiry-properties.test.ts'],
    bug: 'a status of error is taken for a decline',
  },
  {
    does: 'Changes even a final status, after a reconciliation.',
    breaks: 'The first end is the last word; the truth finds no way in.',
    source: 'statuses',
    fault: 'an end changes later',
    bug: 'a late truth bears the revision of what it corrects',
  },
  {
    does: 'Refuses the question itself, or fails in answering it.',
    breaks: 'A refusal of the question is taken for one of the order.',
    source: 'client: Fibonatix MerchantAPI',
    fault: 'inquiry: refuses the question',
    bug: 'a refusal of the question is taken for a denial',
  },
  {
    does: 'Takes minutes or hours to end an order.',
    breaks: 'Inquiries stop too soon, or never.',
    source: 'statuses ("if unchanged after an hour stop and contact the manager")',
    fault: 'an end comes late',
    bug: 'a check is acknowledged before it is made',
  },
  {
    does: 'Allows an inquiry each 3 to 5 s for five minutes, then each 5 to 10 minutes. Other limits are not documented.',
    breaks: 'One order is asked about thousands of times.',
    source: 'statuses',
    fault: 'a check is delivered twice',
    tests: ['test/journey/one-chain.test.ts', 'test/payout/retry-policy.test.ts'],
    bug: 'inquiries keep the rhythm of the first minutes',
  },
];

/** Callbacks. */
export const callbackFacts: readonly Fact[] = [
  {
    does: 'Calls back twice, late, and before the POST was answered.',
    breaks: 'A word is counted twice, or meets an order that is not there yet.',
    source: 'merchant_callback_parameters',
    fault: 'a callback comes twice',
    bug: 'the result of an inquiry is written without its mark',
  },
  {
    does: 'Repeats until it hears 200, up to 30 times in 14 days; whether a repeat shows the newer state is not documented.',
    breaks: 'An old word arrives after a newer one and wins.',
    source: 'merchant_callback_parameters',
    fault: 'a callback comes late',
    tests: ['test/payout/take-callback.test.ts', 'test/journey/callback.test.ts'],
    bug: 'an end by a callback is written over an end that stands',
  },
  {
    does: 'Signs status, order id and client order id, without separators; neither type nor amount nor time.',
    breaks: 'A genuine word is cut anew and moved to another order, or replayed with another amount.',
    source: 'client: php-library-payneteasy-api',
    fault: 'a callback is forged',
    tests: ['test/payout/take-callback.test.ts'],
    bug: 'a callback is taken whatever its amount',
  },
  {
    does: 'Can be imitated by anybody who knows the address.',
    breaks: 'A stranger says that an order was paid.',
    source: 'merchant_callback_parameters',
    fault: 'a callback is forged',
    bug: 'a callback is taken without its control',
  },
  {
    does: 'Never calls back, although it said that it would.',
    breaks: 'The order waits for ever.',
    source: 'statuses',
    fault: 'a check is lost',
    bug: 'the horizon of doubt is ignored',
  },
];
