// `payouts submit --at`: from when on the rows of a file may go, said plainly, kept with the batch, and the same whoever sends
// them and however often.
import { describe, expect, it } from 'vitest';
import { atTime, rowsFrom } from '../../lib/cli/batches/submit-times.ts';
import { longDescribe } from '../support/long-proof.ts';
import { aSubmitter, row } from './support/submitting.ts';

const nowMs = Date.parse('2026-11-22T10:30:00Z');
/** A moment of the machine's own clock, by which the tool runs. */
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const utc = (ms: number) => new Date(ms).toISOString();

describe('--at', () => {
  it.each([
    ['09:00Z', '2026-11-23T09:00:00.000Z'],
    ['11:00Z', '2026-11-22T11:00:00.000Z'],
    ['9:00+02:00', '2026-11-23T07:00:00.000Z'],
    ['12:31+02:00', '2026-11-22T10:31:00.000Z'],
    ['2026-11-25T09:00:00+01:00', '2026-11-25T08:00:00.000Z'],
  ])('%s is %s', (text, moment) => {
    expect(utc(atTime(text)(nowMs))).toBe(moment);
  });

  it('a time without a zone is the next one of this machine', () => {
    const moment = new Date(atTime('09:00')(nowMs));
    expect([moment.getHours(), moment.getMinutes()]).toEqual([9, 0]);
    expect(moment.getTime() - nowMs).toBeGreaterThan(0);
    expect(moment.getTime() - nowMs).toBeLessThanOrEqual(25 * 3_600_000);
  });

  it.each(['nine', '25:00', '09:60', '2026-11-25', '2026-11-25T09:00:00', '09:00 CET', ''])('"%s" is none', (text) => {
    expect(() => atTime(text)).toThrow('write it as "09:00" (in the time zone of this machine)');
  });

  it('reaches seven days ahead, and no further', () => {
    const week = 7 * 86_400_000;
    expect(rowsFrom({ at: () => nowMs + week }, nowMs)).toBe(nowMs + week);
    expect(() => rowsFrom({ at: () => nowMs + week + 1 }, nowMs)).toThrow('more than 7 days ahead');
    expect(rowsFrom({}, nowMs)).toBeUndefined();
  });
});

longDescribe('payouts submit with moments', () => {
  const { files, fileOf, submit, payouts, takeJobs } = aSubmitter();
  /** A file of one row that has a moment of its own. */
  const momentOf = (name: string, id: string, column: string, moment: string) =>
    files.file(name, `order_id,amount,currency,description,IBAN,bank,${column}\n${row(id)},${moment}\n`);
  const ids = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const momentsOf = async () =>
    new Map((await takeJobs()).map((job) => [job.orderId, String(job['notBefore'])] as const));

  it('holds every row back until then, and says so', async () => {
    const file = await fileOf('even', ...ids('EVEN', 4).map((id) => row(id)));
    const end = await submit(file, '--batch', 'even', '--yes', '--json', '--at', '23:00Z');
    expect(end).toMatchObject({ code: 0 });
    const { notBefore } = JSON.parse(end.stdout) as { notBefore: string };
    expect(notBefore).toMatch(/T23:00:00\.000Z$/);
    expect(await momentsOf()).toEqual(new Map(ids('EVEN', 4).map((id) => [id, notBefore])));
    const batch = JSON.parse((await payouts('batch', 'even', '--json')).stdout);
    expect(batch).toMatchObject({ notBefore });
  });

  it('gives the same moments when it is sent again, whatever the clock says by then', async () => {
    const file = await fileOf('again', ...ids('AGAIN', 3).map((id) => row(id)));
    await submit(file, '--batch', 'again', '--yes', '--at', '23:00Z');
    const first = await momentsOf();
    expect(await submit(file, '--batch', 'again', '--yes', '--again')).toMatchObject({ code: 0 });
    expect(await momentsOf()).toEqual(first);
    expect(first.size).toBe(3);
  });

  it('keeps a later moment of a row’s own', async () => {
    const own = new Date(Date.now() + 3 * 86_400_000).toISOString();
    const file = await momentOf('own.csv', 'OWN-1', 'notBefore', own);
    await submit(file, '--batch', 'own', '--yes', '--at', '23:00Z');
    expect(await momentsOf()).toEqual(new Map([['OWN-1', own]]));
  });

  it('refuses a row that would expire before it may go, by its number', async () => {
    const file = await momentOf('late.csv', 'LATE-1', 'expiresAt', inDays(1 / 1440));
    const end = await submit(file, '--batch', 'late', '--yes', '--at', inDays(1));
    expect(end.code).toBe(2);
    expect(end.stderr).toMatch(/late\.csv: row 2 would expire .*, before it may go/);
    expect(await momentsOf()).toEqual(new Map());
  });
});
