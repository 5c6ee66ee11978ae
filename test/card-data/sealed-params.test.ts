// What a seal must be, whatever made it: for this very order, of card fields alone, and never told by its content.
import { describe, expect, it } from 'vitest';
import type { Job } from '../../lib/payout/message/job.ts';
import { readSealKey, unsealed, withCode } from '../../lib/card-data/sealed-params.ts';
import { aTransferJob, jobOf, testCards, withoutParams } from '../support/jobs.ts';

const encoded = (header: unknown) =>
  `${Buffer.from(typeof header === 'string' ? header : JSON.stringify(header)).toString('base64url')}.k.iv.c.tag`;

const order = { merchant: 'acme-eu', orderId: 'TRF-1', operation: 'transfer' } as const;
const header = { alg: 'ECDH-ES', enc: 'A256GCM', kid: 'ec-1', plain: 'digest', ...order };
const fault = (text: string) => ({ kind: 'fault', fault: text });

describe('the header of a seal', () => {
  const keyOf = (changes: object = {}) => readSealKey(encoded({ ...header, ...changes }), order);

  it('names the key, and how it is used', () => {
    expect(keyOf()).toEqual({ kind: 'read', value: { kid: 'ec-1', alg: 'ECDH-ES', plain: 'digest' } });
    expect(keyOf({ alg: 'RSA-OAEP-256', kid: 'rsa-1', typ: 'JWE', epk: { kty: 'EC', crv: 'P-256' } })).toEqual({
      kind: 'read',
      value: { kid: 'rsa-1', alg: 'RSA-OAEP-256', plain: 'digest' },
    });
  });

  it.each([
    ['another way of wrapping', { alg: 'dir' }, 'alg'],
    ['another encryption', { enc: 'A128GCM' }, 'enc'],
    ['no key', { kid: undefined }, 'kid'],
    ['a key without a name', { kid: '' }, 'kid'],
    ['a key with an endless name', { kid: 'k'.repeat(129) }, 'kid'],
    ['no order', { orderId: undefined }, 'orderId'],
    ['no digest of the plain fields', { plain: undefined }, 'plain'],
    ['a compression, which could change what it means', { zip: 'DEF' }, 'zip'],
    ['an extension that must be understood', { crit: ['exp'] }, 'crit'],
    ['a public key that is none', { epk: 'x' }, 'epk'],
    ['several of these', { alg: 'dir', enc: 'none', kid: 7 }, 'alg, enc, kid'],
    ['a name that could be a card number', { [testCards.sender]: 1 }, '(unprintable name)'],
  ])('with %s is refused by name', (_, changes, names) => {
    expect(keyOf(changes)).toEqual(fault(`sealedParams has an invalid header: ${names}`));
  });

  it.each([
    ['is not JSON', encoded('{"alg"')],
    ['is no object', encoded('"ECDH-ES"')],
    ['is empty', '....'],
    ['is not there', ''],
  ])('that %s is refused as a whole', (_, sealed) => {
    expect(readSealKey(sealed, order)).toEqual(fault('sealedParams has an invalid header: header'));
  });

  it('for another order is refused, with all that is another’s', () => {
    expect(keyOf({ orderId: 'TRF-2' })).toEqual(fault('sealedParams is sealed for another orderId'));
    expect(keyOf({ merchant: 'globex-us', operation: 'payout' })).toEqual(
      fault('sealedParams is sealed for another merchant and operation'),
    );
  });
});

/** The inner seal of a CVV under the key of its order. */
const sealedCvv = encoded({ alg: 'dir', enc: 'A256GCM', kid: 'order-key-1' });

/** A transfer of which only the name of the card's holder is in the clear. */
const sealedFields = ['credit_card_number', 'cvv2', 'expire_month', 'expire_year', 'destination-card-no'];
const job: Job = { ...jobOf(withoutParams(aTransferJob(), ...sealedFields)), sealedParams: 'sealed' };

describe('what a seal holds', () => {
  it('is in the params, without the blanks around it and without the seal', () => {
    const content = { credit_card_number: ` ${testCards.sender} `, expire_month: '12' };
    const { sealedParams: _, ...plain } = job;
    expect(unsealed(job, JSON.stringify(content))).toEqual({
      kind: 'read',
      value: { ...plain, params: { ...job.params, credit_card_number: testCards.sender, expire_month: '12' } },
    });
  });

  it('stays sealed where it serves one attempt alone, and waits for the key of its order', () => {
    const content = { expire_year: '2030', cvv2: sealedCvv };
    expect(unsealed(job, JSON.stringify(content))).toMatchObject({
      kind: 'read',
      value: {
        params: { ...job.params, expire_year: '2030' },
        sealedCode: { field: 'cvv2', keyId: 'order-key-1', sealed: sealedCvv },
      },
    });
    const read = unsealed(job, JSON.stringify(content));
    expect(read.kind === 'read' && read.value.params).not.toHaveProperty('cvv2');
  });

  it.each([
    ['no JSON', '{"cvv2":"737'],
    ['a list of texts', '["4111111111111111"]'],
    ['a text', '"4111111111111111"'],
    ['nothing at all', 'null'],
    ['a number among texts', '{"expire_year":"2030","expire_month":12}'],
  ])('must be an object of texts, not %s', (_, content) => {
    expect(unsealed(job, content)).toEqual(fault('sealedParams does not hold a JSON object of texts'));
  });

  it('must be something', () => {
    expect(unsealed(job, '{}')).toEqual(fault('sealedParams holds nothing'));
  });

  it.each([
    ['amount', '9999.00', 'amount is not a card field of transfer; only those are sealed'],
    ['toString', 'x', 'toString is not a card field of transfer; only those are sealed'],
    [testCards.sender, 'x', '(unprintable name) is not a card field of transfer; only those are sealed'],
    ['card_printed_name', 'JOHN DOE', 'card_printed_name is in params too'],
    ['credit_card_number', '4111 1111', 'credit_card_number is not digits only'],
    ['cvv2', '737', 'cvv2 must be sealed under a key of its own'],
    ['cvv2', encoded({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'ec-1' }), 'cvv2 must be sealed under a key of its own'],
    ['cvv2', encoded({ alg: 'dir', enc: 'A128GCM', kid: 'k' }), 'cvv2 must be sealed under a key of its own'],
    ['cvv2', encoded({ alg: 'dir', enc: 'A256GCM', kid: '' }), 'cvv2 must be sealed under a key of its own'],
  ])('%s is refused as %j where it may not be', (name, value, text) => {
    expect(unsealed(job, JSON.stringify({ [name]: value }))).toEqual(fault(`sealedParams.${text}`));
  });

  it('is refused with every fault at once, and without a value', () => {
    const read = unsealed(job, JSON.stringify({ amount: '9999.00', cvv2: '737', expire_month: '13' }));
    expect(read).toEqual(
      fault(
        'sealedParams.amount is not a card field of transfer; only those are sealed; ' +
          'sealedParams.cvv2 must be sealed under a key of its own; ' +
          'sealedParams.expire_month is not a month from 1 to 12',
      ),
    );
  });
});

describe('a code that was opened', () => {
  const waiting: Job = { ...job, sealedCode: { field: 'cvv2', keyId: 'order-key-1', sealed: sealedCvv } };

  it('is in the params of the one attempt that it serves', () => {
    const { sealedCode: _, ...rest } = waiting;
    expect(withCode(waiting, ' 737 ')).toEqual({ ...rest, params: { ...job.params, cvv2: '737' } });
  });

  it.each([['abc'], ['73737'], [''], ['  ']])('is none where it is %j', (opened) => {
    expect(withCode(waiting, opened)).toBeUndefined();
  });

  it('is none where none is waited for, or of a field that the operation does not have', () => {
    expect(withCode(job, '737')).toBeUndefined();
    const other: Job = { ...waiting, operation: 'pan-eligibility' };
    expect(withCode(other, '737')).toBeUndefined();
  });
});
