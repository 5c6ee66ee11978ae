// PROBE: what a sandbox gateway's contract really does, found out in a few harmless requests, as lines of the profile with
// their evidence. Documentation contradicts itself and contracts differ; what is written into a secret should have been seen.
import type { MerchantCredentials } from '../gateway/ports.ts';
import { createProbeAsker, ProbeStoppedError, type ProbePorts } from './probe-asker.ts';
import { askGate } from './probe-gate.ts';
import { askOrders } from './probe-orders.ts';
import type { ProbeLine, ProbeOptions, Probing, ProfilePart } from './probing.ts';

/** Everything that was found. */
export interface ProbeReport {
  readonly kind: 'report';
  readonly lines: readonly ProbeLine[];
  readonly profile: ProfilePart;
  readonly requests: number;
}

/** Nothing could be found out: the gateway takes no order, or does not answer. */
export interface ProbeStopped {
  readonly kind: 'stopped';
  /** The obstacle, and the remedy. */
  readonly why: string;
  readonly lines: readonly ProbeLine[];
  readonly requests: number;
}

/** Probes one operation at one endpoint of a test account. Throws RangeError for a live one. */
export async function probe(
  credentials: MerchantCredentials,
  options: ProbeOptions,
  ports: ProbePorts,
): Promise<ProbeReport | ProbeStopped> {
  if (credentials.mode !== 'test') throw new RangeError('a probe starts orders: it is for a test account alone');
  const asker = createProbeAsker(credentials, ports);
  const lines: ProbeLine[] = [];
  const tell: Probing['tell'] = (found) => {
    const line: ProbeLine = { sure: 'seen', ...found };
    lines.push(line);
    options.onLine?.(line);
  };
  const stopped = (why: string): ProbeStopped => ({ kind: 'stopped', why, lines, requests: asker.asked() });
  const it = { asker, options, credentials, ports, tell };
  try {
    const started = await askOrders(it);
    if ('why' in started) return stopped(started.why);
    await askGate(it, started);
  } catch (error) {
    if (error instanceof ProbeStoppedError) return stopped(error.message);
    throw error;
  }
  for (const line of unasked) tell(line);
  return { kind: 'report', lines, profile: profileOf(lines), requests: asker.asked() };
}

/** Findings that no request of ours can bring about. */
const unasked: readonly ProbeLine[] = [
  {
    topic: 'the statuses "error" and "unknown"',
    says: 'whether they mean that no money moved: orders that answer so are held until profile.statusWords says it',
    evidence: 'no request brings them about',
    sure: 'not found out',
  },
  {
    topic: 'callbacks',
    says: 'their types, and whether they come: ask for a callback URL, and compare its first callbacks with the statuses',
    evidence: 'this machine can not be called',
    sure: 'not found out',
  },
];

/** The parts put together; maps per operation are merged. */
function profileOf(lines: readonly ProbeLine[]): ProfilePart {
  let whole: ProfilePart = {};
  for (const { profile = {} } of lines) {
    whole = {
      ...whole,
      ...profile,
      ...merged('orderIdField', whole, profile),
      ...merged('signatureMethod', whole, profile),
    };
  }
  return whole;
}

function merged(name: 'orderIdField' | 'signatureMethod', before: ProfilePart, next: ProfilePart): ProfilePart {
  if (before[name] === undefined && next[name] === undefined) return {};
  return { [name]: { ...before[name], ...next[name] } };
}
