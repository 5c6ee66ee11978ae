// An event of a paid order becomes a job that the worker takes: the rule's input transformer, worked by hand as EventBridge
// describes it, and the worker's own parser.
import { describe, expect, it } from 'vitest';
import { parseJob } from '../../lib/payout/message/job.ts';
import { ofType } from './packaged.ts';

interface Transformer {
  readonly InputPathsMap: Readonly<Record<string, string>>;
  readonly InputTemplate: string;
}

const [, rule] = ofType('AWS::Events::Rule', 'example').find(([id]) => id === 'OrderPaidRule') ?? [];
const [target] = (rule?.['Targets'] ?? []) as readonly {
  readonly InputTransformer: Transformer;
  readonly SqsParameters: { readonly MessageGroupId: string };
}[];

/** Placeholders outside of quotes get the value as JSON; what the event does not have leaves nothing, or an empty text. */
function transformed(event: object, ofMissing = ''): string {
  const { InputPathsMap, InputTemplate }: Transformer = target?.InputTransformer ?? {
    InputPathsMap: {},
    InputTemplate: '',
  };
  return InputTemplate.replaceAll(/<(\w+)>/g, (_, name: string) => {
    const steps = (InputPathsMap[name] ?? '').split('.').slice(1);
    const value = steps.reduce<unknown>((found, step) => (found as Record<string, unknown> | undefined)?.[step], event);
    return value === undefined ? ofMissing : JSON.stringify(value);
  });
}

const detail = {
  merchant: 'acme-eu',
  endpointId: '39915',
  orderId: 'INV-2026-000123',
  amount: '10.42',
  currency: 'EUR',
  description: 'Invoice 123',
  accountNumber: 'DE89370400440532013000',
  bankName: 'Cool bank',
};
const anEvent = (changes: object = {}) => ({
  id: '7bf73129-1428-4cd3-a780-95db273d1602',
  source: 'shop.orders',
  'detail-type': 'OrderPaid',
  detail: { ...detail, ...changes },
});

describe('a paid order', () => {
  it('becomes a payout job that names its event', () => {
    expect(parseJob(transformed(anEvent()))).toStrictEqual({
      kind: 'job',
      job: {
        operation: 'payout',
        merchant: 'acme-eu',
        endpointId: '39915',
        orderId: 'INV-2026-000123',
        params: {
          amount: '10.42',
          currency: 'EUR',
          order_desc: 'Invoice 123',
          account_number: 'DE89370400440532013000',
          bank_name: 'Cool bank',
        },
        money: { currency: 'EUR', minorUnits: 1042n },
        context: '{ "event": "7bf73129-1428-4cd3-a780-95db273d1602" }',
      },
    });
  });

  it('waits in the group of its merchant, so that no other merchant waits behind it', () => {
    expect(target?.SqsParameters).toEqual({ MessageGroupId: '$.detail.merchant' });
  });

  it('cannot smuggle a field into the job by a text', () => {
    const description = 'shoes", "amount": "9999.00", "x": "';
    expect(parseJob(transformed(anEvent({ description })))).toMatchObject({
      kind: 'job',
      job: { params: { amount: '10.42', order_desc: description } },
    });
  });

  it.each<[what: string, changes: object]>([
    ['the amount is a number, which may have lost a cent on its way', { amount: 10.42 }],
    ['the amount is missing', { amount: undefined }],
    ['the account is missing', { accountNumber: undefined }],
    ['the merchant is missing', { merchant: undefined }],
  ])('is refused where %s', (_, changes) => {
    expect(parseJob(transformed(anEvent(changes))).kind).toBe('rejected');
    expect(parseJob(transformed(anEvent(changes), '""')).kind).toBe('rejected');
  });
});
