// Parks a job: seals its body and puts it in the table `waiting`, in its lane's line or in the common one. First its lane gets an item,
// because the leader looks only at lanes that have one.
import { lineClassOf, type LaneName, nameOfLane, newLane } from '../pace/lane-state.ts';
import { type Lanes } from '../pace/lane.ts';
import type { Job } from '../message/job.ts';
import { orderKey } from '../order/order.ts';
import type { Clock, Random } from '../ports.ts';
import { bodyDigest, type DataKeys, sealBody } from './body-seal.ts';
import { type ParkedHead, type ParkedJob, type ParkedJobs, unproven, type Wait } from './parked-job.ts';
import { waitsInLine } from './reasons.ts';
import type { References } from './references.ts';

/** The table `waiting`, and all that belongs to it. */
export interface Waiting {
  readonly jobs: ParkedJobs;
  readonly dataKeys: DataKeys;
  readonly references: References;
}

/** The ports of parking. */
export interface ParkPorts {
  readonly waiting: Pick<Waiting, 'jobs' | 'dataKeys'>;
  /** Makes the lane's item if there is none; false if there is no room for its name. */
  readonly knownLanes: (lane: LaneName) => Promise<boolean>;
  readonly random: Random;
  readonly clock: Pick<Clock, 'nowMs'>;
}

/** A message that is to be parked. */
interface ToPark extends Wait {
  readonly job: Job;
  readonly message: Pick<ParkedJob, 'messageId' | 'firstSentAtMs' | 'redrives' | 'groupId'> & {
    readonly body: string;
    readonly sentAtMs?: number;
  };
  /** True if its approval or its merchant is not proven. */
  readonly isUnproven: boolean;
}

/** When a job that waits for pace asks again, if it waits in the common line. */
export const commonLineMs = 60_000;

/** Parks the job. `full`: its order has as many parked jobs as it may have. Rejects if the job is not parked, or if that is unknown. */
export async function park(request: ToPark, ports: ParkPorts): Promise<'parked' | 'full'> {
  const { job, message, because, isUnproven } = request;
  const { merchant, endpointId, batchId, notBeforeMs, expiresAtMs, money } = job;
  const { waiting, knownLanes, clock } = ports;
  const key = orderKey(job);
  const lane = { merchant, endpointId };
  const hasLane = !isUnproven && (await knownLanes(lane));
  const digest = bodyDigest(message.body);
  return waiting.jobs.put({
    key,
    digest: isUnproven ? unproven(digest) : digest,
    lane: hasLane ? lane : undefined,
    class: lineClassOf(job),
    // No leader takes turns for the common line.
    goAtMs: waitsInLine(because) && !hasLane ? clock.nowMs() + commonLineMs : request.goAtMs,
    because,
    sinceMs: message.sentAtMs ?? clock.nowMs(),
    notBeforeMs,
    expiresAtMs,
    batchId,
    money,
    messageId: message.messageId,
    firstSentAtMs: message.firstSentAtMs,
    redrives: message.redrives,
    groupId: message.groupId,
    sealed: await sealBody(message.body, key, { dataKeys: waiting.dataKeys, random: ports.random }),
    begun: 0,
  });
}

const knownAtMost = 2_000;

/** Makes the items of lanes, and remembers which lanes have one. */
export function createKnownLanes(lanes: Pick<Lanes, 'read' | 'write' | 'isNamed'>): ParkPorts['knownLanes'] {
  const known = new Set<string>();
  return async ({ merchant, endpointId }) => {
    const lane = { merchant, endpointId };
    const name = nameOfLane(lane);
    if (known.has(name)) return true;
    if (!(await lanes.read(lane))) await lanes.write(lane, { ...newLane({}), version: 1 });
    if (!(await lanes.isNamed(lane))) return false;
    if (known.size >= knownAtMost) known.clear();
    known.add(name);
    return true;
  };
}

/** The ports of bringing forward. */
export interface ForwardPorts {
  readonly waiting: { readonly jobs: Pick<ParkedJobs, 'ofOrder' | 'move'> };
  readonly clock: Pick<Clock, 'nowMs'>;
}

/**
 * Makes the order's parked jobs due now: a result or a decision may end them. A job that is begun meanwhile sees the order as it is. False
 * if the table does not answer. `except`: the digest of the job that is under way.
 */
export async function broughtForward(
  key: string,
  { waiting: { jobs }, clock }: ForwardPorts,
  except?: string,
): Promise<boolean> {
  try {
    const parked = (await jobs.ofOrder(key)).filter(({ digest }) => digest !== except);
    await Promise.all(parked.map((job) => moveForward(job, jobs, clock.nowMs())));
    return true;
  } catch {
    return false;
  }
}

/** Makes the job due now, without a turn. False if it is gone or has another moment. */
export const moveForward = (job: ParkedHead, jobs: Pick<ParkedJobs, 'move'>, nowMs: number): Promise<boolean> =>
  jobs.move(job, job.goAtMs, { because: 'again', goAtMs: nowMs });
