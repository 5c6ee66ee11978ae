// `--at`: from when on the rows of a file may go, said on the command line and repeated with its time zone.
import { InvalidArgumentError } from 'commander';
import type { Batch } from '../../batches/batch.ts';
import { firstTooLate, timedRows } from '../../batches/row-times.ts';
import { notBeforeLimitDays } from '../../payout/message/job-fields.ts';
import { UsageError } from '../../files/usage-error.ts';
import type { ToolPorts } from '../tool-ports.ts';
import { momentText } from '../quantities.ts';
import { type SurveyedFile } from './submit-text.ts';

/** The options about times. */
export interface TimeOptions {
  /** The moment from which on rows may go, seen from now. */
  readonly at?: (nowMs: number) => number;
}

const dayMs = 86_400_000;
const form =
  'write it as "09:00" (in the time zone of this machine), "09:00Z", "09:00+02:00" or "2026-11-30T09:00:00Z"';

/** Reads `--at`. A time of day is the next one; a moment that is over is refused. */
export function atTime(text: string): (nowMs: number) => number {
  const clock = /^([01]?\d|2[0-3]):([0-5]\d)(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/.exec(text.trim());
  if (clock) {
    const [, hours = '', minutes = '', zone] = clock;
    return zone === undefined
      ? (nowMs) => nextHere(Number(hours), Number(minutes), nowMs)
      : (nowMs) => nextAt(hours.padStart(2, '0'), minutes, zone, nowMs);
  }
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text.trim());
  const atMs = isWhole ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isNaN(atMs)) throw new InvalidArgumentError(form);
  return (nowMs) => {
    if (atMs <= nowMs) throw new UsageError(`--at ${text} is over (it is ${momentText(nowMs)}); name a later moment`);
    return atMs;
  };
}

/** The next time of that day's name in this machine's zone. On the day when clocks go forward it may not be there. */
function nextHere(hours: number, minutes: number, nowMs: number): number {
  for (let ahead = 0; ahead < 2; ahead += 1) {
    const day = new Date(nowMs);
    day.setDate(day.getDate() + ahead);
    day.setHours(hours, minutes, 0, 0);
    if (day.getHours() !== hours) throw new UsageError(`--at: the clocks skip that time in ${zoneHere()}; ${form}`);
    if (day.getTime() > nowMs) return day.getTime();
  }
  throw new UsageError(`--at: ${form}`);
}

function nextAt(hours: string, minutes: string, zone: string, nowMs: number): number {
  const day = new Date(nowMs - dayMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  let atMs = Date.parse(`${day}T${hours}:${minutes}:00${zone}`);
  while (atMs <= nowMs) atMs += dayMs;
  return atMs;
}

const zoneHere = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The moment that is asked for; undefined where none is. */
export function rowsFrom({ at }: TimeOptions, nowMs: number): number | undefined {
  const fromMs = at?.(nowMs);
  if (fromMs !== undefined && fromMs > nowMs + notBeforeLimitDays * dayMs)
    throw new UsageError(
      `--at: ${momentText(fromMs)} is more than ${notBeforeLimitDays} days ahead; send the file nearer to its time`,
    );
  return fromMs;
}

/** A moment in this machine's zone, and in UTC where that is another. */
function zonedText(ms: number): string {
  const zone = zoneHere();
  const here = new Date(ms).toLocaleString('sv-SE', { timeZone: zone });
  const utc = momentText(ms);
  return utc.startsWith(here) ? utc : `${here} ${zone} (${utc})`;
}

/** When the rows go, in a sentence. */
export const rowsFromText = (fromMs: number): string => `no row goes before ${zonedText(fromMs)}`;

/** Why rows would expire before they may go; where they would, nothing is registered. */
function tooLateText(
  {
    row,
    notBeforeMs,
    expiresAtMs,
  }: { readonly row: number; readonly notBeforeMs: number; readonly expiresAtMs: number },
  { name }: SurveyedFile,
): string {
  return `${name}: row ${row} would expire ${momentText(expiresAtMs)}, before it may go (${momentText(notBeforeMs)}); name an earlier --at or a later expiresAt`;
}

/** The batch was registered without times: to send its rows now would not be what was asked for. */
export const withoutTimesText = (batchId: string): string =>
  `batch ${batchId} was registered to go at once; leave out --at to send it so, or choose another --batch`;

/** The file whose rows bear the moment of their batch, for every reader. */
export const atTheirTimes = (file: SurveyedFile, { rowsFromMs }: Pick<Batch, 'rowsFromMs'>): SurveyedFile =>
  rowsFromMs === undefined ? file : { ...file, rows: () => timedRows(file.rows(), rowsFromMs) };

/** Before anything is registered: no row may expire, and no approval end, before it may go. Throws UsageError. */
export async function checkTimes(
  file: SurveyedFile,
  rowsFromMs: number,
  { clock }: ToolPorts,
  { hold, expires }: { readonly hold: boolean; readonly expires: number },
): Promise<void> {
  const heldUntilMs = clock.nowMs() + expires * 1000;
  if (hold && rowsFromMs >= heldUntilMs)
    throw new UsageError(
      `--expires: the batch may be sent until ${momentText(heldUntilMs)}, before its rows may go; say a longer --expires`,
    );
  const late = await firstTooLate(atTheirTimes(file, { rowsFromMs }).rows());
  if (late) throw new UsageError(tooLateText(late, file));
}

/** The moment of a batch for programs; nothing where it has none. */
export const whenAsJson = ({ rowsFromMs }: { readonly rowsFromMs?: number | undefined }) =>
  rowsFromMs === undefined ? {} : { notBefore: new Date(rowsFromMs).toISOString() };
