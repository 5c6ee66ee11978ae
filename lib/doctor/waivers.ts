// Waivers: dangers that somebody has taken upon themselves, one by one, with a reason and a last day. Kept in a file that is reviewed
// like code; what it does not name is refused as ever.
import * as v from 'valibot';

/** One of them. */
export interface Waiver {
  /** Where the doctor sees it: a logical id, or one of its properties (`HeldAlarm.AlarmActions`) with all below it. */
  readonly resource: string;
  readonly reason: string;
  /** The last day on which it holds, as `2027-06-30` (UTC). */
  readonly until: string;
}

const schema = v.array(
  v.strictObject({
    resource: v.pipe(v.string(), v.regex(/^[A-Za-z][\w.]*$/, 'resource is a logical id, or one and a property')),
    reason: v.pipe(v.string(), v.trim(), v.minLength(10, 'reason is a sentence: why this is safe here')),
    until: v.pipe(v.string(), v.isoDate('until is a day, as 2027-06-30')),
  }),
);

/** The waivers of a file, and those of them whose last day is over. */
export interface ReadWaivers {
  readonly valid: readonly Waiver[];
  readonly over: readonly Waiver[];
}

/** Reads a file of waivers (JSON). Throws, naming entry and field, where one is not whole. */
export function readWaivers(text: string, today: string): ReadWaivers {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error('the waivers are not JSON: a list of { "resource", "reason", "until" }');
  }
  const read = v.safeParse(schema, given);
  if (!read.success) {
    const faults = read.issues.map((it) => `${v.getDotPath(it) ?? 'the list'}: ${it.message}`);
    throw new Error(`the waivers are not whole: ${faults.join('; ')}`);
  }
  return {
    valid: read.output.filter(({ until }) => until >= today),
    over: read.output.filter(({ until }) => until < today),
  };
}

/** The waiver for what is found there; undefined where nobody waives it. */
export const waiverOf = ({ where }: { readonly where: string }, waivers: readonly Waiver[]): Waiver | undefined =>
  waivers.find(({ resource }) => where === resource || where.startsWith(`${resource}.`));
