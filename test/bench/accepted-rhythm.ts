// The worker's own rhythm of looks (rhythm.ts) at an accepted order, by its age alone: for benchmarks in virtual time.
import { nextInquirySeconds } from '../../lib/payout/inquire/rhythm.ts';
import { contractOf } from '../../lib/payout/order/time.ts';
import { defaultProfile } from '../../lib/gateway/profile.ts';
import { anOrder } from '../support/orders.ts';
import { startMs } from '../support/time-and-chance.ts';

const accepted = anOrder({ attempt: { answer: { kind: 'taken', atMs: startMs }, ids: ['9000001'] } });
const contract = contractOf(defaultProfile);

/** Seconds to the next look at an order that was accepted so long ago, where the profile says when orders usually end too. */
export function acceptedGapSeconds(ageSeconds: number, usualEndSeconds?: number): number {
  const usual = usualEndSeconds !== undefined && { usualEndMs: usualEndSeconds * 1000 };
  return nextInquirySeconds(accepted, startMs + ageSeconds * 1000, { ...contract, ...usual }) ?? Infinity;
}
