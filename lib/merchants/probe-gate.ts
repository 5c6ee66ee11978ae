// A probe's questions before any order: how a wrong signature is answered, how far a clock may be off, and
// whether one signed request is taken twice. Each question is one that the gateway refuses or answers without an order.
import type { ProbeAnswer } from './probe-asker.ts';
import { hollowStart, type Started } from './probe-orders.ts';
import type { Probing } from './probing.ts';

/** Asks them all. */
export async function askGate(it: Probing, started: Started): Promise<void> {
  await askSpoilt(it, started);
  await askWindow(it, started);
  await askRepeated(it, started);
}

async function askSpoilt(it: Probing, started: Started): Promise<void> {
  const answer = await it.asker.ask({ ...hollowStart(it, started), spoilt: true });
  const topic = 'a wrong signature';
  const { evidence, httpStatus } = answer;
  if (answer.kind === 'not-authentic')
    return it.tell({
      topic,
      says: `HTTP ${httpStatus}: the worker waits for other credentials`,
      evidence,
    });
  const says = `is answered by ${answer.kind === 'refused' ? 'a refusal' : 'something else'}, not by HTTP 401 or 403: name its code in profile.accountCodes`;
  it.tell({ topic, says, evidence });
}

/** How far a timestamp may lie in the past, in seconds. */
const offsets = [30, 120, 240, 360, 660, 1_260, 3_660, 86_460, 315_360_000];

/** Halves the ladder; a clock that is further off than the last one taken is refused like a wrong signature. */
async function askWindow(it: Probing, started: Started): Promise<void> {
  const topic = 'a timestamp that is off';
  let [taken, refused] = [-1, offsets.length];
  let last: ProbeAnswer | undefined;
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    last = await it.asker.ask({ ...hollowStart(it, started), offSeconds: -(offsets[middle] ?? 0) });
    if (last.kind === 'not-authentic') refused = middle;
    else taken = middle;
  }
  const evidence = last?.evidence ?? '';
  if (refused === offsets.length) return it.tell({ topic, says: 'is taken, however old', evidence });
  const from = taken < 0 ? 'less than' : `${spell(offsets[taken] ?? 0)} and`;
  const says = `is refused from between ${from} ${spell(offsets[refused] ?? 0)} on: keep clocks closer than that`;
  it.tell({ topic, says, evidence });
}

const spell = (seconds: number) => (seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`);

async function askRepeated(it: Probing, started: Started): Promise<void> {
  const first = await it.asker.ask(hollowStart(it, started));
  const second = await first.repeat();
  const isRefused = second.kind === 'not-authentic' && first.kind !== 'not-authentic';
  it.tell({
    topic: 'one signed request twice, byte for byte',
    says: isRefused ? 'is refused the second time: nonces are remembered' : 'is taken twice: nonces are not remembered',
    evidence: second.evidence,
  });
}
