// What a person decides reaches at once what waits: a decision about an order its waiting messages, a command to a lane the
// lane's line. Both are best effort: what is not reached is found at its next look.
import type { LaneName } from '../lanes/lane.ts';
import type { Random } from '../ports.ts';
import { type DrainRights, handedOn, isLive } from './drain-right.ts';
import type { LinesQueue } from './lines-queue.ts';
import type { WaitingRows } from './waiting-row.ts';

/** The ports of hurrying. */
export interface HurryPorts {
  readonly waiting: Pick<WaitingRows, 'ofOrder'>;
  readonly lines: LinesQueue;
}

/**
 * Has the order's waiting messages looked at, after a decision about it: each is submitted now, whatever its line does, and ends
 * by the state in the ledger. Answers how many those are. A decision is never tried again: a message that is not reached now
 * ends when its line comes to it.
 */
export async function hurryWaiting(key: string, { waiting, lines }: HurryPorts): Promise<number> {
  try {
    const rows = (await waiting.ofOrder(key)).map(({ slot }) => ({ key, slot }));
    if (rows.length === 0) return 0;
    const notTaken = await lines.send([{ message: { kind: 'rows', rows }, delaySeconds: 0 }]);
    return notTaken.size > 0 ? 0 : rows.length;
  } catch {
    return 0;
  }
}

/** The ports of letting a line begin. */
export interface LetBeginPorts {
  readonly drainRights: Pick<DrainRights, 'read' | 'write'>;
  readonly random: Pick<Random, 'id'>;
}

/**
 * Has a lane's line looked at after a command to the lane: a drain that looks again at the next probe alone would learn of it
 * a quarter of an hour later. Its right lapses, as where it rests for a person, and the sweeper begins it from its head within
 * a minute. Best effort, as the command itself is stored: a write that loses to a drain loses to one that looks at the lane now.
 */
export async function letBegin(
  { merchant, endpointId }: LaneName,
  { drainRights, random }: LetBeginPorts,
): Promise<void> {
  const lane = { merchant, endpointId };
  try {
    const read = await drainRights.read(lane);
    const { right } = read;
    if (!right || !isLive(right, read.atMs)) return;
    const { cursors, againAtMs } = right;
    await drainRights.write(
      lane,
      handedOn(read, { cursors, againAtMs, writer: random.id(), inMs: undefined, isResting: true }),
    );
  } catch {
    // The line begins by itself at its next look.
  }
}
