// GATES: what must be asked of a job before its order may be claimed, as one ordered list. The worker walks it with the
// world's own ports, the plan of a redrive with ports that only read; so the order of the questions exists once. Gates
// only read: what is spent (a cap of the day, the key of a CVV) is spent under the claim. What stops a job acts only after
// the ledger was asked (stop-order.ts): an order that was sent is told as it stands, whatever has become of a setting.
import type { Failure } from './failures.ts';
import type { Job } from './job.ts';
import type { MerchantCredentials } from '../gateway/ports.ts';

/**
 * Every gate, in the order in which they are asked. Card data comes first: before it nothing may be copied. Controls come
 * before the secret: a batch that was called off ends, though its merchant's secret is gone.
 */
const gateOrder = ['card-data', 'approval', 'expiry', 'controls', 'credentials', 'contract'] as const;

/** The name of a gate. */
export type GateName = (typeof gateOrder)[number];

/** A job on its way through the gates, and what they have found out for it. */
export interface Candidate {
  /** As it lay on the queue: what an approval is for. */
  readonly received: Job;
  /** The same, opened and approved by the gates that it has passed. */
  readonly job: Job;
  readonly credentials?: MerchantCredentials;
}

/** What a gate says. */
export type Verdict =
  /** It may pass; what is given completes the candidate. */
  | ({ readonly kind: 'go' } & Partial<Omit<Candidate, 'received'>>)
  /** As it is, it can't be sent, now or later. */
  | { readonly kind: 'refuse'; readonly failure: Failure }
  /** Not now. */
  | Waiting
  /** Never again: its batch was called off. */
  | { readonly kind: 'cancel' };

/** Why a job waits, where nothing has failed. */
type WaitReason = 'paused' | 'doubt' | 'controls-unknown' | 'approval-unknown';

interface Waiting {
  readonly kind: 'wait';
  /** What somebody said, or what failed and may be mended. */
  readonly because: WaitReason | Failure;
  /** Asking again before this moment (epoch ms) is useless; absent where nobody knows. */
  readonly untilMs?: number;
  /**
   * No copy of its message may go round: it holds card data in the clear, or would go round for ever, seen by nobody. It
   * comes back as a failed receive instead, and the last of them refuses it.
   */
  readonly uncopied?: true;
}

/** What keeps a job from its claim. */
export type StopVerdict = Exclude<Verdict, { kind: 'go' }>;

/** One question about a job. */
export interface Gate {
  readonly name: GateName;
  /** Rejects only where the candidate may come again. */
  ask(candidate: Candidate): Promise<Verdict>;
}

/** The list, in its order; a wiring that forgets a gate does not compile. */
export function inGateOrder(gates: Readonly<Record<GateName, Gate['ask']>>): readonly Gate[] {
  return gateOrder.map((name) => ({ name, ask: gates[name] }));
}

/** How a job came through. */
export type Passage =
  | { readonly kind: 'passed'; readonly job: Job; readonly credentials: MerchantCredentials }
  /** `job` as far as it came: opened, where the gate of card data let it pass. */
  | { readonly kind: 'stopped'; readonly by: GateName; readonly verdict: StopVerdict; readonly job: Job };

/** Asks one gate after the other until one does not say go. */
export async function passGates(received: Job, gates: readonly Gate[]): Promise<Passage> {
  let candidate: Candidate = { received, job: received };
  for (const { name, ask } of gates) {
    const verdict = await ask(candidate);
    if (verdict.kind !== 'go') return { kind: 'stopped', by: name, verdict, job: candidate.job };
    const { kind: _, ...found } = verdict;
    candidate = { ...candidate, ...found };
  }
  const { job, credentials } = candidate;
  if (!credentials) throw new RangeError('no gate has brought the credentials: nothing may be sent');
  return { kind: 'passed', job, credentials };
}
