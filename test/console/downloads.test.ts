// The report of a batch and its pain.002 as files of the browser: the rows that `payouts report` writes, to the person of the console alone,
// as slowly as the browser takes them, and with what is in the way in words before it begins.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ReportDownloads } from '../../lib/console/downloads.ts';
import { startConsole } from '../../lib/console/server.ts';
import type { OwnEndpoint } from '../../lib/local/own-hosts.ts';
import { creditTransfers } from '../cli/support/credit-transfers.ts';
import { type RunningCli, startCli } from '../cli/support/cli.ts';
import { aDirectory } from '../cli/support/files.ts';
import { aLedgerWithBatch, aRow } from '../cli/support/ledger-with-batch.ts';
import { entered } from './support/entered.ts';
import { aScene } from './support/scene.ts';

const directory = aDirectory();

describe('over the ledger', () => {
  const world = aLedgerWithBatch();
  let run: RunningCli;
  let console: Awaited<ReturnType<typeof entered>>;
  const asWritten = (text: string) => text.replaceAll(/<(MsgId|CreDtTm)>[^<]*/g, '<$1>');

  beforeAll(async () => {
    // given a payday of a bank's file, of which one is paid, one declined and one under way
    const transfers = ['A', 'B', 'C'].map((id) => ({ id, amount: '10.42', bic: 'COBADEFFXXX' }));
    const text = creditTransfers([{ day: new Date().toISOString().slice(0, 10), transfers }], '09');
    await directory.file('payday.xml', text);
    await directory.file('other.csv', 'order id,amount,currency,iban\nA,10.42,EUR,DE89370400440532013000\n');
    const fileHash = createHash('sha256').update(text).digest('hex');
    await world.upload(
      'payday',
      ['A', 'B', 'C'].map((id) => aRow(id)),
      { fileHash },
    );
    await world.order('payday', 'A', { standing: 'paid', gatewayOrderId: '9000' });
    const failure = { code: 'GATEWAY_REFUSED', message: 'no such account', gatewayCode: '28' } as const;
    await world.order('payday', 'B', { standing: 'declined', failure });
    run = startCli(['console', '--read-only'], { env: world.env(), cwd: directory.path() });
    const address = () => /http:\S+\?token=\S+/.exec(run.stdout())?.[0];
    console = await entered(await vi.waitUntil(address, { timeout: 60_000 }));
  });

  afterAll(async () => {
    run?.child.kill('SIGINT');
    await run?.ended;
  });

  it('the report is what the command writes, under a name of its own', async () => {
    const answer = await console.ask('api/report', { batch: 'payday', format: 'csv' });
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="payday.csv"');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const { stdout } = await world.payouts('report', 'payday');
    expect(await answer.text()).toBe(stdout);
    expect(stdout.split('\n').map((line) => line.split(',')[2])).toEqual([
      'status',
      'paid',
      'declined',
      'not-started',
      undefined,
    ]);
  });

  it('so is the pain.002, by the file on this machine; the command that does the same is told before', async () => {
    const query = { batch: 'payday', format: 'pain.002', file: 'payday.xml' };
    const told = await (await console.ask('api/report', { ...query, check: '1' })).json();
    const command = `node . report payday --format pain.002 --file payday.xml --output payday.pain.002.xml`;
    expect(told).toEqual({ kind: 'found', value: { name: 'payday.pain.002.xml', command } });
    const answer = await console.ask('api/report', query);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="payday.pain.002.xml"');
    expect(answer.headers.get('content-type')).toBe('application/xml; charset=utf-8');
    const text = await answer.text();
    const file = `${directory.path()}/payday.xml`;
    const { stdout } = await world.payouts('report', 'payday', '--format', 'pain.002', '--file', file);
    expect(asWritten(text)).toBe(asWritten(stdout));
    const statuses = [...text.matchAll(/<OrgnlEndToEndId>([^<]*)<\/OrgnlEndToEndId><TxSts>([^<]*)/g)];
    expect(statuses.map(([, id, status]) => `${id} ${status}`)).toEqual(['A ACSC', 'B RJCT', 'C PDNG']);
  });

  it.each([
    [{ batch: 'payday', format: 'pain.002' }, '--format pain.002 answers a pain.001: name it with --file'],
    [
      { batch: 'payday', format: 'csv', file: 'other.csv' },
      'other.csv is not the file of batch payday: its SHA-256 is another',
    ],
    [{ batch: 'payday', format: 'xlsx' }, 'format: is not valid'],
  ])('%j: told in words, before the browser begins to load', async (query, why) => {
    for (const isCheck of [true, false]) {
      const answer = await console.ask('api/report', { ...query, ...(isCheck && { check: '1' }) });
      expect(await answer.json()).toEqual({ kind: 'failed', why });
      expect(answer.headers.get('content-disposition')).toBeNull();
      expect(answer.status).toBe(isCheck ? 200 : 422);
    }
  });
});

describe('a browser that is slow', () => {
  let console: OwnEndpoint | undefined;
  afterEach(() => console?.close());
  const piece = 'x'.repeat(65_536);
  const endless = 10_000;

  async function loading(write: ReportDownloads['write']) {
    console = await startConsole(aScene({}, { reports: { check: async () => {}, write } }));
    const { at, cookie } = await entered(console.url);
    const request = get(at('api/report', { batch: 'big', format: 'csv' }), { headers: { cookie } });
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return answer;
  }

  it('is waited for: what it has not taken is not read yet; and nothing is read for who has gone', async () => {
    let taken = 0;
    let failure: unknown;
    const answer = await loading(async (_, stream) => {
      try {
        for (; taken < endless; taken += 1) await stream.write(piece);
      } catch (error) {
        failure = error;
        throw error;
      }
    });
    const standsAt = async () => {
      const before = taken;
      await new Promise((resolve) => setTimeout(resolve, 300));
      return taken === before;
    };
    await vi.waitFor(async () => expect(await standsAt()).toBe(true), { timeout: 10_000 });
    // Buffers of both ends of the socket, of 655 MB.
    expect(taken).toBeLessThan(500);
    answer.destroy();
    await vi.waitFor(() => expect(failure).toEqual(new Error('the browser has gone away')), { timeout: 10_000 });
    expect(taken).toBeLessThan(500);
  });
});
