// Numbers on the command line.
import { InvalidArgumentError } from 'commander';

/** Reads a whole number from 1 to `most`. */
export function countUpTo(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`must be a whole number from 1 to ${most}`);
  };
}
