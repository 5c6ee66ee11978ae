// M13: a sender who knows the rows of a file puts copies of them that are refused. A refused message says nothing
// of an order, so the batch, its report and its retry are told by its own payouts alone.
import { beforeEach, describe, expect, it } from 'vitest';
import { type Payout, readBatch } from '../../lib/batches/batch-payouts.ts';
import { retryVerdict } from '../../lib/batches/retry-rows.ts';
import { settleBatches } from '../../lib/batches/settle-batches.ts';
import type { Batch } from '../../lib/batches/batch.ts';
import { letterView } from '../../lib/dead-letters/dead-letter.ts';
import { discardDeadLetter } from '../../lib/dead-letters/discard-dead-letter.ts';
import { approvalOf } from '../support/approvals.ts';
import { cardJwks, sealedFor } from '../support/card-keys.ts';
import { sealJob } from '../../lib/client/jose-seal-job.ts';
import { aDeadLetterWorld, type DeadLetterWorld } from '../support/dead-letter-world.ts';
import { aTransferJob, type JobBody, withoutParams } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { aJobOf, batchId, upload } from '../support/uploaded-batch.ts';

const saying = { by: 'ops', reason: 'not ours', atMs: 0 };
const names = ['R-1', 'R-2', 'R-3'];
const notTaken = new Set(['INVALID_MESSAGE', 'PLAIN_CARD_DATA', 'SEALED_PARAMS_INVALID', 'NOT_APPROVED']);

type Copy = readonly [what: string, copy: (row: JobBody) => JobBody | Promise<JobBody>];

/** Copies of a row that any sender can make who knows it. */
const copies: readonly Copy[] = [
  ['with a broken seal', (row) => ({ ...row, sealedParams: 'eyJhbGciOiJFQ0RILUVTIn0.a.b.c.d' })],
  ['with a card field', (row) => ({ ...row, params: { ...row.params, credit_card_number: '4111111111111111' } })],
  ['with a card number in a text', (row) => ({ ...row, params: { ...row.params, order_desc: '4111111111111111' } })],
  ['that name an end', (row) => ({ ...row, resends: 'end-1' })],
  ['of no amount', (row) => ({ ...row, params: { ...row.params, amount: '0' } })],
];
/** Another content that the contract refuses, which ends the payout of a sender who may send it; the public keys are known to every sender. */
const ofContract: readonly Copy[] = [
  ['with a field that its contract does not know', (row) => ({ ...row, params: { ...row.params, purpose: 'x' } })],
  ['with a card sealed in them', (row) => sealedAs(row, { credit_card_number: '4111111111111111' })],
  ['with a name sealed in them', (row) => sealedAs(row, { card_printed_name: 'JANE DOE' })],
];
const unapproved: readonly Copy[] = [
  ['without their approval', withoutApproval],
  ['with the approval of another row', (row) => ({ ...row, approval: `7.${'A'.repeat(43)}` })],
];

function withoutApproval(row: JobBody): JobBody {
  const { approval: _, ...rest } = row;
  return rest;
}

async function sealedAs(row: JobBody, card: Readonly<Record<string, string>>): Promise<JobBody> {
  const { sealedParams: _, approval, ...open } = row;
  const sealed = await sealJob({ ...open, params: { ...row.params, ...card } }, { jwks: cardJwks });
  return { ...sealed, ...(approval !== undefined && { approval }) };
}

interface Uploaded {
  readonly it: DeadLetterWorld;
  readonly batch: Batch;
  readonly rows: readonly JobBody[];
}

describe.each<[what: string, ofWorld: () => Promise<Uploaded>, copies: readonly Copy[]]>([
  ['a batch that one person sends', () => uploadedIn(false), copies],
  ['a batch that two persons release', () => uploadedIn(true), [...copies, ...ofContract, ...unapproved]],
  ['a batch with cards', () => uploadedWithCards(), copies],
])('%s', (_, ofWorld, copies) => {
  let desk: DeadLetterWorld;
  let batch: Batch;
  let rows: readonly JobBody[];
  beforeEach(async () => ({ it: desk, batch, rows } = await ofWorld()));

  /** All that the batch says: its results, the standing of each payout, and whether it may be asked for once more. */
  async function said() {
    await desk.world.clock.advance(60_000);
    await settleBatches(Infinity, desk.world.ports);
    const payouts: Payout[] = [];
    for await (const some of readBatch(batch, desk.world.ports)) payouts.push(...some);
    return {
      results: structuredClone(desk.world.batchResults).map(({ occurredAt: _at, ...result }) => result),
      states: payouts.map(({ standing }) => standing),
      retries: payouts.map((payout) => retryVerdict(payout, false).kind),
    };
  }
  async function copied(copy: (row: JobBody) => JobBody | Promise<JobBody>) {
    for (const row of rows) await desk.world.deliver(aRecord(await copy(row)));
    // A person who looks after dead letters throws away what no worker could take.
    desk.lay();
    const refused = desk.deadLetters.letters.filter((letter) => notTaken.has(letterView(letter).code ?? ''));
    for (const letter of refused) expect((await discardDeadLetter(letter, saying, desk.ports)).kind).toBe('discarded');
  }
  const paid = () => desk.world.gateway.posts.length;

  it.each(copies)('copies %s, before its rows come: it is told once, by its rows', async (_what, copy) => {
    const before = await said();
    await copied(copy);
    expect(await said()).toEqual(before);
    expect([before.states, before.retries, paid()]).toEqual([waiting, notProven, 0]);
    for (const row of rows) await desk.world.deliver(aRecord(row));
    expect(await said()).toMatchObject({
      states: ['accepted', 'accepted', 'accepted'],
      results: [{ revision: 1, status: 'closed', outcomes: [{ standing: 'accepted', count: 3 }] }],
    });
    expect(paid()).toBe(3);
  });

  it.each(copies)('copies %s, while its rows wait to be sent again: they are sent', async (_what, copy) => {
    desk.world.gateway.stays('refuses the connection');
    for (const row of rows) await desk.world.deliver(aRecord(row));
    const before = await said();
    await copied(copy);
    expect(await said()).toEqual(before);
    desk.world.gateway.stays('accepts');
    desk.world.clock.advance(3_600_000);
    for (let round = 0; round < 6 && desk.world.waits().length > 0; round += 1) {
      desk.world.clock.advance(900_000);
      await desk.world.again();
    }
    expect((await said()).states).toEqual(['accepted', 'accepted', 'accepted']);
  });

  it.each(copies)('copies %s, once its rows are paid: it says the same', async (_what, copy) => {
    for (const row of rows) await desk.world.deliver(aRecord(row));
    const before = await said();
    await copied(copy);
    expect(await said()).toEqual(before);
    expect(paid()).toBe(3);
  });
});

const [waiting, notProven] = [names.map(() => 'not-started'), names.map(() => 'not-proven')];

async function uploadedIn(twoPersonRelease: boolean) {
  const it = aDeadLetterWorld({ profile: { twoPersonRelease }, lanes: 'open' });
  const bodies = names.map((orderId) => aJobOf(orderId));
  const { grant, bodies: rows } = await approvalOf(bodies, it.world.approvalKey, { batchId, expiresAtMs: Infinity });
  it.world.batches.grantOf = async () => grant;
  const batch = await upload(it.world, rows);
  return { it, batch, rows };
}

async function uploadedWithCards() {
  const it = aDeadLetterWorld({ lanes: 'open' });
  const rows: JobBody[] = [];
  for (const orderId of names)
    rows.push(await sealedFor(it.world, withoutParams(aTransferJob({ orderId, batchId }), 'cvv2')));
  return { it, batch: await upload(it.world, rows), rows };
}
