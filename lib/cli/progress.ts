// How far a long command is: one live line on a terminal, a line now and then elsewhere, nothing for programs.
import { systemClock } from '../aws/system.ts';
import { counted } from '../payout/operate/spelling.ts';
import { createRedrawn } from './terminal.ts';

/** On a terminal often enough to look alive; in a build log seldom enough to be read. */
const terminalMs = 100;
const logMs = 5_000;

/** A line that is drawn anew on a terminal, and written now and then elsewhere, so that a build log shows that it goes on. */
export function liveLine(stream: NodeJS.WriteStream) {
  const live = stream.isTTY ? createRedrawn(stream) : undefined;
  let shownMs = systemClock.nowMs();
  return {
    show(text: () => string): void {
      const nowMs = systemClock.nowMs();
      if (nowMs - shownMs < (live ? terminalMs : logMs)) return;
      shownMs = nowMs;
      if (live) live.show(text());
      else stream.write(`${text()}\n`);
    },
    done: () => live?.clear(),
  };
}

/** A share of one as a bar. */
export function barText(share: number): string {
  const width = 28;
  const filled = Math.min(width, Math.round(width * share));
  return '█'.repeat(filled) + '░'.repeat(width - filled);
}

const units = {
  read: (amount: number) => `${(amount / 1e6).toFixed(1)} MB`,
  compared: (amount: number) => counted(amount, 'earlier row'),
  sent: (amount: number) => counted(amount, 'row'),
};

/** Counts to `total` (0 if unknown) and shows it on standard error. */
export function createProgress(what: keyof typeof units, total: number, silent: boolean) {
  const startedMs = systemClock.nowMs();
  const line = liveLine(process.stderr);
  let [count, before] = [0, 0];

  function show(): void {
    const ratePerMs = () => (count - before) / (systemClock.nowMs() - startedMs);
    if (!silent) line.show(() => lineOf(what, { count, total, rate: ratePerMs() * 1000 }));
  }

  return {
    add(amount: number): void {
      count += amount;
      show();
    },
    /** Sets the count; what was done before this run began does not count towards the rate. */
    at(amount: number, beforeThisRun = before): void {
      [count, before] = [amount, beforeThisRun];
      show();
    },
    done: line.done,
  };
}

function lineOf(what: keyof typeof units, it: { count: number; total: number; rate: number }): string {
  const { count, total, rate } = it;
  const unit = units[what];
  if (total === 0) return `  ${unit(count)} ${what} · ${unit(rate)}/s`;
  const left = rate > 0 ? ` · ${durationText((total - count) / rate)} left` : '';
  return `  ${barText(count / total)}  ${Math.floor((100 * count) / total)} % · ${unit(count)} ${what} · ${unit(Math.round(rate))}/s${left}`;
}

function durationText(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
