// `payouts lanes`: one place to look at what holds payments up.
import { systemClock } from '../../aws/system.ts';
import { type OperatorOptions, say } from '../command-line.ts';
import { operator } from '../orders/operator-commands.ts';
import { lanesAsText } from './lane-text.ts';

/** `payouts lanes`: every lane, the stopped ones first. */
export async function showLanes(options: OperatorOptions): Promise<number> {
  const views = await operator().lanes();
  return say(options, views, lanesAsText(views, systemClock.nowMs()));
}
