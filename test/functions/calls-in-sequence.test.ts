// What a payout waits for: the calls of AWS before its POST and after it, by the function as it ships, one payout at a time in a
// process that has read before what it keeps. Where calls stand in one line they go side by side.
import type { CardKey } from '../../lib/card-data/sealed-params.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSubmit, submitPorts } from '../../functions/submit.ts';
import { safeguardsText } from '../../lib/batches/safeguards.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { cardJwks, privateCardKeys } from '../support/card-keys.ts';
import { aPayoutJob, aTransferJob, type JobBody } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { type ScriptedAws, startScriptedAws } from '../support/scripted-aws.ts';
import { merchantSecrets } from '../support/merchant-secrets.ts';

let aws: ScriptedAws;
let worker: ReturnType<typeof createSubmit>;
let gateway: ReturnType<typeof createServer>;

const contract = { statusInquiry: false, signatureMethod: { payout: 'HMAC-SHA1', transfer: 'HMAC-SHA1' } };
const fingerprinting = { fingerprintKeyId: 'fp', fingerprintKeys: { fp: '07'.repeat(32) } };

beforeEach(async () => {
  aws = await startScriptedAws();
  gateway = createServer((request, response) => {
    const { url = '' } = request;
    request.resume().on('end', () => {
      aws.asked.push('POST');
      const answer = { [url.includes('transfer') ? 'transaction-id' : 'payout-id']: '9000123' };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await once(gateway.listen(0, '127.0.0.1'), 'listening');
  profileIs(contract);
  secretIs('payouts/_worker', fingerprinting);
  secretIs('payouts/_card', { current: 'ec-1', keys: privateCardKeys });
  aws.answers.set('VerifyMac', { status: 200, body: { MacValid: true } });
  capsAre({});
  worker = createSubmit(submitPorts(aws.config, () => {}));
});
afterEach(async () => {
  gateway.closeAllConnections();
  gateway.close();
  await aws.close();
});

function profileIs(profile: object): void {
  const { port } = gateway.address() as AddressInfo;
  const at = { login: 'acme', controlKey: 'FAKE0000-0000', baseUrl: `http://127.0.0.1:${port}` };
  const { contract, keys } = merchantSecrets({ ...at, profile });
  secretIs('payouts/contract/acme-eu', contract);
  secretIs('payouts/keys/acme-eu', keys);
}

const secretIs = (name: string, value: object) =>
  aws.answers.set(`GetSecretValue ${name}`, {
    status: 200,
    body: { VersionId: 'v1', SecretString: JSON.stringify(value) },
  });

function capsAre(caps: Readonly<Record<string, { readonly perDay: string }>>): void {
  const { port } = gateway.address() as AddressInfo;
  const [logins, by] = [[`127.0.0.1:${port}/acme`], 'arn:aws:iam::000000000000:user/approver'];
  const its = { twoPersonRelease: false, caps, logins, serial: 1, by, atMs: 1 };
  const Item = { record: { S: safeguardsText('batches', 'acme-eu', its) }, mac: { S: 'A'.repeat(43) } };
  aws.answers.set('GetItem batches ~safeguards/acme-eu', { status: 200, body: { Item } });
}

/** What was asked for the messages of one invocation, in order. */
async function calls(...bodies: readonly JobBody[]): Promise<readonly string[]> {
  aws.asked.splice(0);
  const event = { Records: bodies.map((it) => aRecord(it)) };
  expect(await worker(event, { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 120_000 })).toEqual({
    batchItemFailures: [],
  });
  return [...aws.asked];
}

let numbers = 0;
const aPayout = () => aPayoutJob({ orderId: `INV-${(numbers += 1)}` });
const itsTurn = 'PutItem controls ~lane/acme-eu/39915';
const theClaim = expect.stringMatching(/^UpdateItem ledger acme-eu\//);
const theAnswer = theClaim;
const theResult = 'SendMessageBatch results';
/** It is taken away once the result is out. */
const itsMark = theClaim;

describe('a payout alone, in a process that has sent one before', () => {
  it('waits for its turn and its claim before the POST, for its answer, its result and its mark after it', async () => {
    await calls(aPayout());
    expect(await calls(aPayout())).toEqual([itsTurn, theClaim, 'POST', theAnswer, theResult, itsMark]);
  });

  it("waits for the day's count too, before its claim, if there is a cap", async () => {
    capsAre({ EUR: { perDay: '1000000.00' } });
    await calls(aPayout());
    const today = expect.stringMatching(/^UpdateItem controls ~day\/acme-eu\/EUR\//);
    expect(await calls(aPayout())).toEqual([itsTurn, today, theClaim, 'POST', theAnswer, theResult, itsMark]);
  });

  it("waits for its card's key too, after its claim, where its CVV is sealed", async () => {
    const aTransfer = async (orderId: string) => {
      const deposit = async (_: unknown, key: CardKey) => {
        const Attributes = { ji: { S: key.id }, jk: { S: key.secret } };
        aws.answers.set(`DeleteItem card-keys acme-eu/${orderId}`, { status: 200, body: { Attributes } });
        return key;
      };
      return sealJob(aTransferJob({ orderId }), { jwks: cardJwks, cardKeys: { deposit } });
    };
    await calls(await aTransfer('TRF-1'));
    const itsKey = 'DeleteItem card-keys acme-eu/TRF-2';
    expect(await calls(await aTransfer('TRF-2'))).toEqual([
      itsTurn,
      theClaim,
      itsKey,
      'POST',
      theAnswer,
      theResult,
      itsMark,
    ]);
  });
});
