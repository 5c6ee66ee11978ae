// The tool as a process of its own, and what it took: memory at its peak, and time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { watchSlowness } from '../harness.ts';

/** What a run of the tool took, and printed. */
export interface ToolRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly peakMegabytes: number;
  /** Of a core that does nothing else, as the yardstick of the harness has it. */
  readonly cpuSeconds: number;
}

/** The last line on standard error. */
const measuring = `data:text/javascript,${encodeURIComponent(`
  process.on('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
    process.stderr.write('\\n' + JSON.stringify({ peakMegabytes: maxRSS / 1024, cpuSeconds }));
  });`)}`;

/** Runs `payouts` with these arguments. */
export async function runTool(...args: string[]): Promise<ToolRun> {
  const tool = fileURLToPath(new URL('../../../lib/cli/payouts.js', import.meta.url));
  const slownessMeanwhile = watchSlowness();
  const child = spawn(process.execPath, ['--import', measuring, tool, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, measured, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  const took = JSON.parse(measured.slice(measured.lastIndexOf('\n')));
  return { code, stdout, ...took, cpuSeconds: took.cpuSeconds / slownessMeanwhile() };
}
