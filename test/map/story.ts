// What of lib/ runs when one payout is accepted: the story of test/journey/accepted-payout.test.ts under V8's own count of
// what was executed. Run by Node itself, whose way with types keeps every line where it stands in the source.
import { Session } from 'node:inspector/promises';
import type { Profiler } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { createSubmit } from '../../functions/submit.ts';
import type { Results } from '../../lib/payout/ports.ts';
import type { Result } from '../../lib/payout/message/result.ts';
import { aPayoutJob } from '../support/jobs.ts';
import { aRecord } from '../support/records.ts';
import { byPath, roomOf } from '../support/sources.ts';
import { aWorld } from '../support/world.ts';

/** What ran. */
export interface StoryRun {
  /** Files of lib/ of which at least one function ran. */
  readonly files: readonly string[];
  /** Lines of them within functions that ran, without the branches that did not. */
  readonly lines: number;
  /** Imports from one room into another among these files: how often a reader who follows them changes rooms. */
  readonly hops: number;
}

/** Runs the story once. Throws where it does not end as it should: a count of something else would say nothing. */
export async function runAcceptedPayout(): Promise<StoryRun> {
  const world = aWorld();
  const told: Result[] = [];
  // The world's own queue holds each result to its contract, which is a test's business and works in tests alone.
  const results: Results = {
    send: async (some) => {
      told.push(...some);
      return new Set();
    },
  };
  const submit = createSubmit({ ...world.ports, results });
  const record = aRecord(aPayoutJob({ batchId: '2026-11-payroll', context: { invoice: '123' } }));
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  await submit({ Records: [record] }, { getRemainingTimeInMillis: () => 120_000 });
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const [status = 'not told of'] = told.map((it) => it.status);
  if (status !== 'accepted') throw new Error(`the payout was not accepted but ${status}`);
  return storyOf(result);
}

function storyOf(scripts: readonly Profiler.ScriptCoverage[]): StoryRun {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const ran = new Map<string, number>();
  for (const { url, functions } of scripts) {
    const path = url.startsWith('file://') ? fileURLToPath(url).slice(root.length) : '';
    const source = path.startsWith('lib/') ? byPath.get(path) : undefined;
    const lines = source ? linesRun(`${source.lines.join('\n')}\n`, functions) : 0;
    if (lines > 0) ran.set(path, lines);
  }
  const hops = [...ran.keys()].flatMap((path) =>
    (byPath.get(path)?.imports ?? []).filter(({ from }) => ran.has(from) && roomOf(from) !== roomOf(path)),
  );
  const lines = [...ran.values()].reduce((sum, it) => sum + it, 0);
  return { files: [...ran.keys()].toSorted(), lines, hops: hops.length };
}

/** Lines on which something was executed. Ranges come outer first, so an inner one that did not run takes its part away. */
function linesRun(text: string, functions: readonly Profiler.FunctionCoverage[]): number {
  const run = new Uint8Array(text.length);
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) run.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  let lines = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const start = at + line.length - line.trimStart().length;
    if (line.trim() !== '' && run.subarray(start, at + line.length).some((it) => it === 1)) lines += 1;
    at += line.length + 1;
  }
  return lines;
}
