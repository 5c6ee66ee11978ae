// Numbers and spans of time on the command line.
import { InvalidArgumentError, Option } from 'commander';

/** Reads a whole number up to `most`. */
export function countUpTo(most: number, least = 1): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && text.trim() !== '' && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`);
  };
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads "90s", "30m", "2h" or "1d" as seconds. */
export function seconds(text: string): number {
  const [, count, unit = ''] = /^([1-9]\d{0,5})([smhd])$/.exec(text) ?? [];
  const size = unitSeconds[unit];
  if (count === undefined || size === undefined)
    throw new InvalidArgumentError('write a whole number and s, m, h or d, as in "30m"');
  return Number(count) * size;
}

/** As in "0.4 s", "20 s", "12 min", "3.5 h", "2 d". */
export function span(ms: number): string {
  const units = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
  ] as const;
  const [size, name] = units.find(([it]) => ms >= 2 * it) ?? ([1000, 's'] as const);
  const count = ms / size;
  return `${count < 10 ? Number(count.toFixed(1)) : Math.round(count)} ${name}`;
}

/** A moment as a person reads it, to the second: "2026-11-21 10:00:20Z". */
export const momentText = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** An option that takes a value again and again. */
export const repeatedOption = (flags: string, says: string): Option =>
  new Option(flags, says).argParser((text: string, all: readonly string[] = []) => [...all, text]);

/** An option that takes `name=value` again and again, into a new map: its default must not know of another command line. */
export function pairsOption(flags: string, says: string): Option {
  const form = /<(.+)>/.exec(flags)?.[1];
  const read = (text: string, all: ReadonlyMap<string, string>) => {
    const at = text.lastIndexOf('=');
    if (at < 1 || at === text.length - 1) throw new InvalidArgumentError(`write it as "${form}"`);
    return new Map([...all, [text.slice(0, at).trim(), text.slice(at + 1).trim()]]);
  };
  return new Option(flags, says).argParser(read).default(new Map());
}
