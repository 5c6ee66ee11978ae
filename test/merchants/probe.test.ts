// A probe asks a sandbox what its contract really does. Held against the simulated gateway in every combination of six
// behaviours: what is written into the profile is right in each of them.
import { describe, expect, it } from 'vitest';
import { createHttpGateway } from '../../lib/gateway/http-gateway.ts';
import { payneteasy } from '../../lib/gateway/payneteasy.ts';
import type { MerchantCredentials } from '../../lib/gateway/ports.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import type { SimulatorOptions } from '../../lib/local/gateway/simulator-options.ts';
import { probe, type ProbeReport } from '../../lib/merchants/probe.ts';
import type { ProbeOptions } from '../../lib/merchants/probing.ts';
import { parseSigningKey } from '../../lib/oauth1/signature-methods.ts';
import { defaultLimits } from '../../lib/payout/limits.ts';
import { acme, acmePrivateKeyPem } from '../local/gateway/support/signer.ts';
import { aGateway } from '../local/gateway/support/story.ts';
import { lengthOf } from '../support/long-proof.ts';
import { createManualClock, createSeededRandom } from '../support/time-and-chance.ts';

const order: ProbeOptions = {
  endpointId: '39915',
  operation: 'payout',
  params: { amount: '1.00', currency: 'EUR', account_number: 'DE89370400440532013000', bank_name: 'Cool bank' },
  waitSeconds: 60,
};

/** A probe of a simulated gateway; both go by one clock, so that waiting takes no time. */
async function probed(
  contract: Partial<SimulatorOptions>,
  changes: Partial<MerchantCredentials> = {},
  params = order.params,
) {
  const clock = createManualClock();
  const gateway = await aGateway({ nowMs: clock.nowMs, ...contract });
  const credentials: MerchantCredentials = {
    dialect: payneteasy,
    login: acme.login,
    baseUrl: gateway.url,
    keys: {
      'HMAC-SHA1': parseSigningKey('HMAC-SHA1', acme.controlKey),
      'RSA-SHA256': parseSigningKey('RSA-SHA256', acmePrivateKeyPem),
    },
    profile: defaultProfile,
    mode: 'test',
    version: '1',
    ...changes,
  };
  const ports = {
    gateway: createHttpGateway({ limits: defaultLimits, ...clock }),
    clock,
    random: createSeededRandom(),
  };
  return { report: await probe(credentials, { ...order, params }, ports), gateway };
}

const says = ({ lines }: Pick<ProbeReport, 'lines'>, topic: string) => lines.find((line) => line.topic === topic)?.says;

const choices = <Name extends keyof SimulatorOptions>(name: Name, ...values: SimulatorOptions[Name][]) =>
  values.map((value) => ({ [name]: value }));

const contracts = [
  choices('statusInquiry', 'offered', 'absent'),
  choices('orderIdField', 'client_orderid', 'client-order-id'),
  choices('replyFormat', 'as-asked', 'form'),
  choices('duplicateOrderIds', 'accepted', 'refused'),
  choices('timestampWindowSeconds', 300, null),
  choices('statusVisibilityDelayMs', 0, 3_000),
].reduce<Partial<SimulatorOptions>[]>(
  (made, next) => made.flatMap((one) => next.map((other) => ({ ...one, ...other }))),
  [{}],
);

describe('in every combination of six behaviours', () => {
  it('the profile is right, in at most 40 requests, and two lines at most are not found out', async () => {
    expect(contracts).toHaveLength(64);
    // The short proof takes every fifth: each behaviour in both of its kinds.
    for (const contract of contracts.filter((_, at) => at % lengthOf({ short: 5, long: 1 }) === 0)) {
      const { report, gateway } = await probed(contract);
      if (report.kind === 'stopped') throw new Error(report.why);
      const { orderIdField: spelling, statusInquiry, duplicateOrderIds, replyFormat } = contract;
      const offered = statusInquiry === 'offered';
      const orderIdField = {
        ...(spelling === 'client_orderid' && { payout: 'client_orderid' }),
        ...(spelling === 'client-order-id' && offered && { status: spelling }),
      };
      expect({ contract, ...report.profile }).toEqual({
        contract,
        statusInquiry: offered,
        ...(duplicateOrderIds === 'refused' && { duplicateOrderCodes: ['503'] }),
        ...(Object.keys(orderIdField).length > 0 && { orderIdField }),
      });
      expect(says(report, 'form of replies where JSON is asked for')).toBe(
        replyFormat === 'form' ? 'form text; the worker reads both' : 'JSON',
      );
      const repeated = contract.timestampWindowSeconds === null ? 'is taken twice' : 'is refused the second time';
      expect(says(report, 'one signed request twice, byte for byte')).toContain(repeated);
      const clock =
        contract.timestampWindowSeconds === null
          ? 'is taken, however old'
          : 'is refused from between 4 min and 6 min on: keep clocks closer than that';
      expect(says(report, 'a timestamp that is off')).toBe(clock);
      const lag =
        contract.statusVisibilityDelayMs === 0
          ? 'at once'
          : 'after about 3 s; quietPeriodSeconds must be many times that';
      expect(says(report, 'a new order is visible to status')).toBe(offered ? lag : undefined);
      expect(report.lines.filter(({ sure }) => sure === 'not found out')).toHaveLength(2);
      expect(report.requests).toBeLessThanOrEqual(40);
      expect(gateway.orders()).toHaveLength(duplicateOrderIds === 'accepted' ? 2 : 1);
      await gateway.close();
    }
  });
});

describe('what else it sees', () => {
  it('the method that a gateway takes, where it is not the documented one', async () => {
    // It has no public key of this merchant: HMAC alone is taken.
    const { report } = await probed({ merchants: [acme] });
    expect(report).toMatchObject({ profile: { signatureMethod: { payout: 'HMAC-SHA1', status: 'HMAC-SHA1' } } });
  });

  it('how a wrong signature is answered', async () => {
    const { report } = await probed({ authFailureStatus: 401 });
    expect(report.lines).toContainEqual(
      expect.objectContaining({ topic: 'a wrong signature', says: 'HTTP 401: the worker waits for other credentials' }),
    );
  });

  it('which of two orders under one id the status tells of', async () => {
    const { report } = await probed({ statusOfSeveral: 'error' });
    const topic = 'status of two orders under one order id';
    expect(report.lines.find((line) => line.topic === topic)?.says).toBe(
      'tells of neither; the worker asks by orderid as well',
    );
    const newest = await probed({ statusOfSeveral: 'newest' });
    expect(newest.report.lines.find((line) => line.topic === topic)?.says).toBe('tells of the newer');
  });

  it('a visibility that takes longer than it may wait is no missing inquiry', async () => {
    const { report } = await probed({ statusVisibilityDelayMs: 3_600_000 });
    if (report.kind === 'stopped') throw new Error(report.why);
    expect(report.profile.statusInquiry).toBe(true);
    expect(says(report, 'a new order is visible to status')).toBe('not within 60 s: run it again with a longer --wait');
    expect(report.requests).toBeLessThanOrEqual(40);
  });
});

describe('what stops it', () => {
  it('a login that the gateway does not know, with the remedy, and no order', async () => {
    const { report, gateway } = await probed({}, { login: 'somebody-else' });
    expect(report).toMatchObject({ kind: 'stopped', why: expect.stringContaining('refuses the signature') as string });
    expect(gateway.orders()).toHaveLength(0);
  });

  it('an order that lacks what the contract asks for: the refusal is told', async () => {
    const { report } = await probed({}, {}, { amount: '1.00' });
    expect(report).toMatchObject({
      kind: 'stopped',
      why: expect.stringContaining('Field currency is missing; give the fields that its contract asks for') as string,
    });
  });

  it('a gateway that is not there', async () => {
    const { report } = await probed({}, { baseUrl: 'http://127.0.0.1:1' });
    expect(report).toMatchObject({ kind: 'stopped', why: expect.stringContaining('ECONNREFUSED') as string });
  });
});
