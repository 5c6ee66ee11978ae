import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderOf } from '../../lib/aws/order-item.ts';
import { operationNames } from '../../lib/gateway/operations.ts';
import {
  atMost,
  type Attempt,
  type Decision,
  type End,
  noFacts,
  ofAttempt,
  type Unknown,
  unknownAt,
} from '../../lib/payout/order/facts.ts';
import { reportLevels } from '../../lib/payout/order/fact-schemas.ts';
import { fold } from '../../lib/payout/order/fold.ts';
import { recorded } from '../../lib/payout/order/record.ts';
import { signsOf } from '../../lib/payout/order/signs.ts';
import { newOrder, type Order, orderKey } from '../../lib/payout/order/order.ts';
import { someFacts } from '../payout/order/generated-facts.ts';
import { anAttempt, anOrder, aUsualOrder, theFullestOrder, theLargestOrder } from '../support/orders.ts';
import { bytesOf, itemOf } from '../support/item-size.ts';
import { startMs } from '../support/time-and-chance.ts';
import { anyText } from '../support/any-text.ts';

const numbered = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const byId = <T extends { readonly id: string }>(all: readonly T[]) => Object.fromEntries(all.map((it) => [it.id, it]));

/** As many of all that an order keeps as it keeps, each at its limit. */
function theOrderOfALifetime(): Order {
  const { facts, ...full } = theFullestOrder();
  const [worst] = Object.values(facts.attempts);
  const [largest] = Object.values(theLargestOrder().facts.attempts);
  const [id, said] = ['0123456789abcdef'.repeat(2), { code: 'GATEWAY_REFUSED', message: 'ж'.repeat(40) }];
  const ids = numbered(4, (at) => `${at}`.repeat(40));
  const [report] = Object.values(facts.unknown).slice(-1) as [Unknown];
  const amounts = numbered(4, () => 'a'.repeat(24));
  const others = [...numbered(8, (at) => ({ account: 'a'.repeat(12), id: `${at}`.repeat(40) })), { after: 1 }, {}];
  const unknown = Object.fromEntries(
    others.map((at) => [unknownAt(at), { ...report, ...at, reports: reportLevels, amounts }]),
  );
  const attempts = numbered(atMost.attempts, (at): Attempt => ({
    ...anAttempt(worst),
    ...largest,
    id: `${id}${at}`,
    ids,
    aliases: ids,
    amounts,
    lapsed: said,
    declined: said,
    unclear: said,
  }));
  const sign = ['taken', ids, ids, 'seen,validated,declined,approved,reversed', 'a'.repeat(96)].join('|');
  const saw = {
    saw: { ...signsOf({ attempts: {}, unknown }), ...Object.fromEntries(attempts.map((it) => [it.id, sign])) },
  };
  const [decision] = Object.values(facts.decisions) as [Decision];
  const [end] = Object.values(facts.ends) as [End];
  return {
    ...full,
    facts: {
      ...facts,
      attempts: byId(attempts),
      decisions: byId(numbered(atMost.decisions, (at) => ({ ...decision, ...saw, id: `${id}${at}` }))),
      ends: byId(numbered(atMost.ends, (at) => ({ ...end, ...saw, id: `${id}${at}` }))),
      unknown,
      surprises: numbered(8, (at) => `${at}`.repeat(96)),
    },
  };
}

describe('the size of an item', () => {
  it('is under 1 KB on the usual way to an end, so that each write costs one unit', () => {
    expect(bytesOf({ ...itemOf(aUsualOrder()), batchShard: { S: '' } })).toBe(724);
    expect(bytesOf(itemOf(anOrder()))).toBeLessThan(1024);
  });

  it('does not grow, however often an order is refused and sent again by the name of its end', () => {
    const refusal = { ...refused, about: 'order' } as const;
    let order = newOrder('acme-eu/INV-1', startMs, aUsualOrder().content);
    for (let at = 0; at < 200; at += 1) {
      const reopens = at > 0 ? { reopens: `end-${at - 1}` } : {};
      const attempt = anAttempt({ id: `attempt-${at}`, number: order.version + 1, answer: refusal, ...reopens });
      order = recorded(order, ofAttempt(attempt), { nowMs: startMs + at, endId: `end-${at}` });
      expect(fold(order.facts)).toMatchObject({ kind: 'over', reason: 'declined', end: { id: `end-${at}` } });
    }
    expect(bytesOf(itemOf(order))).toBeLessThan(2 * 1024);
  });

  it('is far below what DynamoDB takes with as much of all as an order keeps', () => {
    expect(bytesOf(itemOf(theOrderOfALifetime()))).toBeLessThan(400 * 1024);
  });
});

describe('an item', () => {
  it('has the layout that is already stored out there: change it only together with its version', () => {
    const order = { ...theFullestOrder(), key: 'acme-eu/INV-1', merchant: 'acme-eu', orderId: 'INV-1' };
    const { attempts, decisions, ends, content, ...item } = itemOf(order);
    expect(item).toEqual({
      pk: { S: 'acme-eu/INV-1' },
      v: { N: '1' },
      version: { N: '7' },
      unproven: { S: '["decision-1"]' },
      unknown: {
        S: '[{"account":"account-1","id":"9000125","since":3,"reports":["seen"]},{"after":2,"since":4,"reports":["said-paid"]},{"account":"account-2","since":5,"reports":["declined"],"approvedAtMs":1795255201000,"amounts":["10.43 EUR"],"reversal":{"type":"reversal","status":"approved","amount":"3.00","atMs":1795255201000}}]',
      },
      stoppedAt: { N: '6' },
      surprises: { S: '["approved - 9000126 - -"]' },
      dropped: { S: '{"believed":2,"proven":1}' },
      revision: { N: '4' },
      digest: { S: 'digest' },
      publishedAt: { N: '1795255201000' },
      unpublished: { BOOL: true },
      asks: { S: '[{"attempt":"a-1","account":"account-1"}]' },
      looks: { N: '5' },
      lookedAt: { N: '1795255201000' },
      dueAt: { N: '1795255201001' },
      createdAt: { N: '1795255200000' },
      updatedAt: { N: '1795255201000' },
      batchShard: { S: '2026-11#12' },
      batchEntry: { S: 'held 1042 EUR - HELD_SEVERAL' },
      openWork: { S: 'u0' },
      openWorkAt: { N: '1795255201001' },
      measured: {
        S: '{"state":"held","sinceMs":1795255201000,"money":{"currency":"EUR","minorUnits":"1042"}}',
      },
    });
    const { facts } = order;
    // Empty lists and records are left out, and an amount is text: no float holds every one.
    const packed = (all: object) =>
      JSON.parse(JSON.stringify(Object.values(all)).replaceAll(/,"[^"]+":(\[\]|\{\})/g, '')) as unknown;
    expect([attempts, decisions, ends].map((it) => JSON.parse(it?.S ?? '') as unknown)).toEqual([
      packed(facts.attempts),
      packed(facts.decisions),
      packed(facts.ends),
    ]);
    expect(JSON.parse(content?.S ?? '')).toEqual({
      ...order.content,
      money: { currency: 'EUR', minorUnits: '1042' },
    });
  });

  it('bears no time to live: no order expires', () => {
    for (const order of [aUsualOrder(), theFullestOrder()]) expect(itemOf(order)).not.toHaveProperty('expiresAt');
  });

  it('gives back any order as it was', () => {
    fc.assert(
      fc.property(anyOrder, (order) => {
        expect(orderOf(itemOf(order))).toEqual({ kind: 'found', order });
      }),
    );
  });
});

const attempts = (changes: object) => JSON.stringify([{ ...anAttempt(), ...changes }]);
const content = (changes: object) =>
  JSON.stringify({ operation: 'payout', endpointId: '39915', fingerprint: 'k1.f', ...changes });
const refused = { kind: 'refused', connected: true, atMs: startMs, code: 'NOT_SENT', message: '' } as const;

describe('an item that this version cannot read whole', () => {
  it.each<[what: string, attribute: string, value: AttributeValue | undefined]>([
    ['of a higher layout version', 'v', { N: '2' }],
    ['without a version', 'version', undefined],
    ['whose version is text', 'version', { S: '1' }],
    ['whose revision is a fraction', 'revision', { N: '1.5' }],
    ['of an unknown operation', 'content', { S: content({ operation: 'refund' }) }],
    ['whose amount is a fraction', 'content', { S: content({ money: { currency: 'EUR', minorUnits: '10.42' } }) }],
    ['whose content says something new', 'content', { S: content({ sanctioned: true }) }],
    ['whose attempts are not JSON', 'attempts', { S: '[' }],
    ['whose attempts are none', 'attempts', { S: '{}' }],
    ['with something new of an attempt', 'attempts', { S: attempts({ sanctioned: true }) }],
    ['with a report that is new', 'attempts', { S: attempts({ reports: ['frozen'] }) }],
    ['with an answer that is new', 'attempts', { S: attempts({ answer: { kind: 'parked', atMs: 1 } }) }],
    ['with a refusal about something new', 'attempts', { S: attempts({ answer: { ...refused, about: 'law' } }) }],
    ['whose attempt does not say whether it can be asked about', 'attempts', { S: attempts({ askable: undefined }) }],
    ['with a decision of a new kind', 'decisions', { S: '[{"id":"1","kind":"maybe"}]' }],
    ['with an end that is new', 'ends', { S: '[{"id":"1","number":1,"reason":"frozen"}]' }],
    ['with unattributed reports that are new', 'unknown', { S: '{"reports":["frozen"]}' }],
    ['whose dropped attempts are not two counts', 'dropped', { S: '1' }],
    ['whose mark is false', 'unpublished', { BOOL: false }],
  ])('%s is unreadable, and the reason names the attribute', (_, attribute, value) => {
    const { [attribute]: _removed, ...rest } = itemOf(anOrder());
    const item = value ? { ...rest, [attribute]: value } : rest;
    expect(orderOf(item)).toEqual({
      kind: 'unreadable',
      reason: `this version can't read the item's ${attribute}`,
    });
  });
});

const plain = { noNullPrototype: true } as const;
const word = fc.stringMatching(/^[A-Za-z0-9._-]{1,48}$/);
const text = anyText();
const timeMs = fc.integer({ min: 0, max: 8_640_000_000_000 });
const count = fc.integer({ min: 0, max: 1_000_000 });
const said = fc.record(
  { code: word, message: text, gatewayCode: word, httpStatus: fc.integer({ min: 100, max: 599 }) },
  { requiredKeys: ['code', 'message'], ...plain },
);
const anyContent = fc.record(
  {
    operation: fc.constantFrom(...operationNames),
    endpointId: word,
    fingerprint: word,
    money: fc.record({ currency: fc.constantFrom('EUR', 'JPY'), minorUnits: fc.bigInt(0n, 10n ** 37n) }, plain),
    batchId: word,
    context: text,
  },
  { requiredKeys: ['operation', 'endpointId', 'fingerprint'], ...plain },
);
const anyFacts = fc
  .record({ facts: someFacts, surprises: fc.uniqueArray(text, { maxLength: 8 }), dropped: count, lapsed: said })
  .map(({ facts, surprises, dropped, lapsed }) => ({
    ...facts,
    attempts: { ...facts.attempts, ...ofAttempt(anAttempt({ lapsed })).attempts },
    surprises,
    dropped: { believed: dropped, proven: 1 },
  }));
const anyOrder: fc.Arbitrary<Order> = fc
  .tuple(
    fc.record({
      merchant: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
      orderId: fc.stringMatching(/^[\u0020-\u007e]{1,128}$/),
      facts: fc.oneof(fc.constant(noFacts), anyFacts),
      version: count,
      published: fc.record({ revision: count, digest: fc.oneof(fc.constant(''), word), atMs: timeMs }, plain),
      looks: count,
      createdAtMs: timeMs,
      updatedAtMs: timeMs,
    }),
    fc.record(
      {
        content: anyContent,
        unpublished: fc.constant(true as const),
        asks: fc.array(fc.record({ attempt: word, account: word }, plain), { minLength: 1, maxLength: 20 }),
        lookedAtMs: timeMs,
        dueAtMs: timeMs,
      },
      { requiredKeys: [], ...plain },
    ),
  )
  .map(([always, sometimes]) =>
    // A copy has the usual prototypes, whatever was drawn.
    structuredClone({
      key: orderKey(always),
      ...always,
      ...sometimes,
    }),
  );
