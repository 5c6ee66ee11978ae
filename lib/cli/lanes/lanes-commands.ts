// `payouts lanes`: one place to look at what holds payments up, and to say what is to become of it.
// Exit codes: 0 done, 1 it could not be done as asked or there is no such lane, 2 bad input.
import { tool } from '../../payout/operate/spelling.ts';
import { systemClock } from '../../aws/system.ts';
import { type OperatorOptions, notDone, say } from '../command-line.ts';
import { operator, pause, setPause, tellMoneyOf } from '../orders/operator-commands.ts';
import { UsageError } from '../usage-error.ts';
import { laneLines, lanesAsText } from './lane-text.ts';

/** The command line of `payouts lanes` and of what is under it. */
interface LanesOptions extends OperatorOptions {
  readonly endpoint?: string;
}

/** `payouts lanes`: every lane, the stopped ones first. */
export async function showLanes(options: LanesOptions): Promise<number> {
  const views = await operator().lanes();
  return say(options, views, lanesAsText(views, systemClock.nowMs()));
}

/** `payouts lanes pause`: of all endpoints by the merchant's pause, of one by its lane. */
export async function pauseLanes(merchant: string, options: LanesOptions): Promise<number> {
  const { endpoint } = options;
  if (endpoint === undefined) return pause(merchant, true, options);
  const lane = { merchant, endpointId: endpoint };
  await tellMoneyOf([merchant]);
  const isNew = await named(() => operator().pauseLane(lane, options.reason ?? ''));
  const doubt = isNew ? `; nothing was ever sent there: is that the endpoint? ${laneLines}` : '';
  const text = `${merchant} at ${endpoint}: paused; nothing new is sent there within 10 seconds, jobs wait${doubt}`;
  return say(options, { ...lane, outcome: 'paused' }, text);
}

/** `payouts lanes resume`: the merchant's pause ends, and its lanes open; one that was paused by its endpoint needs that. */
export async function resumeLanes(merchant: string, options: LanesOptions): Promise<number> {
  const { endpoint } = options;
  await tellMoneyOf([merchant]);
  if (endpoint === undefined && (await setPause(merchant, false, options)) !== 'done') return 1;
  const found = await named(() => operator().resumeLanes(merchant, endpoint));
  if (!found) return none(merchant, endpoint, options);
  const { stillPaused: kept, merchantPaused } = found;
  const ends = kept.map((it) => `; ${it} stays paused, as it was by its own name: say --endpoint ${it}`);
  const whose = endpoint === undefined ? '' : ` ${merchant}`;
  if (merchantPaused) ends.push(`; the merchant itself stays paused: \`${tool} resume${whose}\``);
  const what = {
    merchant,
    ...(endpoint !== undefined && { endpointId: endpoint }),
    outcome: 'resumed',
    stillPaused: kept,
    merchantPaused,
  };
  return say(options, what, `${merchant}${endpoint === undefined ? '' : ` at ${endpoint}`}: resumed${ends.join('')}`);
}

/** `payouts lanes probe`: the next order that asks is sent, whatever the brake says; one at a time. */
export async function probeLanes(merchant: string, options: LanesOptions): Promise<number> {
  const { endpoint } = options;
  await tellMoneyOf([merchant]);
  const found = await named(() => operator().probeLanes(merchant, endpoint));
  if (!found) return none(merchant, endpoint, options);
  const { changed: names, stillPaused } = found;
  const stops = stillPaused
    .map((it) => `; ${it} is paused: \`${tool} lanes resume ${merchant} --endpoint ${it}\``)
    .join('');
  const text =
    names.length === 0
      ? `${merchant}: no lane of it is closed, so there is nothing to try${stops}`
      : `${merchant} at ${names.join(', ')}: the next order that comes back is the probe`;
  say(options, { merchant, outcome: names.length === 0 ? 'not-closed' : 'probing', endpoints: names }, text);
  return names.length === 0 ? 1 : 0;
}

/** A name that no job could bear is a mistake of the command line. */
async function named<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  });
}

function none(merchant: string, endpoint: string | undefined, options: LanesOptions): number {
  const where = endpoint === undefined ? merchant : `${merchant} at ${endpoint}`;
  return notDone(
    options,
    { merchant, outcome: 'no-lane' },
    `there is no lane of ${where}: nothing was ever sent there. ${laneLines}`,
  );
}
