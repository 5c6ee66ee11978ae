// A person's command to a lane must reach its line: a drain that looks again at the next probe alone would learn of it a
// quarter of an hour later. Its right lapses, as where it rests for a person, and the sweeper begins it from its head within
// a minute.
import type { LaneName } from '../lanes/lane.ts';
import type { Random } from '../ports.ts';
import { type DrainRights, handedOn, isLive } from './drain-right.ts';

/** The ports of letting a line begin. */
export interface LetBeginPorts {
  readonly drainRights: Pick<DrainRights, 'read' | 'write'>;
  readonly random: Pick<Random, 'id'>;
}

/** Best effort, as the command itself is stored: a write that loses to a drain loses to one that looks at the lane now. */
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
