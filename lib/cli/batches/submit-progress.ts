// How far a long command is: one live line on a terminal, a line now and then elsewhere, nothing for programs.
import { createLogUpdate } from 'log-update';
import { systemClock } from '../../aws/system.ts';
import { counted } from '../quantities.ts';
import { drawnUpon, shownSafely } from '../terminal.ts';

/** A running count. */
interface Progress {
  add(amount: number): void;
  /** Sets the count; what was done before this run began does not count towards the rate. */
  at(amount: number, beforeThisRun?: number): void;
  done(): void;
}

const units = {
  read: (amount: number) => `${(amount / 1e6).toFixed(1)} MB`,
  compared: (amount: number) => counted(amount, 'earlier row'),
  sent: (amount: number) => counted(amount, 'row'),
};

/** On a terminal often enough to look alive; in a build log seldom enough to be read. */
const terminalMs = 100;
const logMs = 5_000;

/** Counts to `total` (0 where nobody knows) and shows it on standard error. */
export function createProgress(what: keyof typeof units, total: number, silent: boolean): Progress {
  const startedMs = systemClock.nowMs();
  const live = process.stderr.isTTY ? createLogUpdate(drawnUpon(process.stderr)) : undefined;
  let [count, before, shownMs] = [0, 0, startedMs];

  function show(): void {
    const nowMs = systemClock.nowMs();
    if (silent || nowMs - shownMs < (live ? terminalMs : logMs)) return;
    shownMs = nowMs;
    const line = lineOf(what, { count, total, rate: ((count - before) / (nowMs - startedMs)) * 1000 });
    if (live) live(shownSafely(line));
    else process.stderr.write(`${line}\n`);
  }

  return {
    add(amount) {
      count += amount;
      show();
    },
    at(amount, beforeThisRun = before) {
      [count, before] = [amount, beforeThisRun];
      show();
    },
    done: () => live?.clear(),
  };
}

function lineOf(what: keyof typeof units, it: { count: number; total: number; rate: number }): string {
  const { count, total, rate } = it;
  const unit = units[what];
  if (total === 0) return `  ${unit(count)} ${what} · ${unit(rate)}/s`;
  const width = 28;
  const filled = Math.min(width, Math.round((width * count) / total));
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  const left = rate > 0 ? ` · ${durationText((total - count) / rate)} left` : '';
  return `  ${bar}  ${Math.floor((100 * count) / total)} % · ${unit(count)} ${what} · ${unit(Math.round(rate))}/s${left}`;
}

function durationText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
