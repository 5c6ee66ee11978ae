// The limits of a merchant's profile and safeguards: money per currency, orders per day, and the fields that a file must have.
import * as v from 'valibot';
import { formatMinorUnits, minorDigits, minorUnitsOf } from './money.ts';

const currencyCode = v.pipe(v.string(), v.regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code'));
const amount = v.pipe(v.string(), v.regex(/^(0|[1-9]\d*)(\.\d+)?$/, 'must be a decimal amount such as "1000.00"'));

/** True if the amount has no more decimals than its currency. With more it would count as zero and stop every payment. */
const fits = (text: string, currency: string) => (text.split('.')[1] ?? '').length <= minorDigits(currency);
const decimals = 'must not have more decimals than their currency';

const orders = v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, 'must be a whole number such as "500"'));

/** What the caps of a day count. */
interface Counted {
  readonly minorUnits: bigint;
  readonly orders: bigint;
}

/** A cap of a day. */
interface DayCapRow {
  readonly limit: typeof amount | typeof orders;
  /** The limit as a number of the counted unit. */
  readonly limitOf: (limit: string, currency: string) => bigint;
  readonly countOf: (it: Counted) => bigint;
  /** The limit as `payouts safeguards` shows it, and the count, for a person. */
  readonly words: (limit: string) => string;
  readonly text: (count: bigint, currency: string) => string;
}

/** The caps of a day (UTC), per currency, in the order of `payouts safeguards`. */
export const dayCapRows = {
  perDay: {
    limit: amount,
    limitOf: minorUnitsOf,
    countOf: ({ minorUnits }) => minorUnits,
    words: (limit) => `${limit} a day`,
    text: (count, currency) => `${formatMinorUnits(count, currency)} ${currency}`,
  },
  ordersPerDay: {
    limit: orders,
    limitOf: (limit) => BigInt(limit),
    countOf: (it) => it.orders,
    words: (limit) => `${limit} orders a day`,
    text: (count, currency) => `${count} orders in ${currency}`,
  },
} as const satisfies Record<string, DayCapRow>;

/** The name of a cap of a day. */
export type DayCapKind = keyof typeof dayCapRows;

/** The names of the caps. */
export const dayCapKinds = Object.keys(dayCapRows) as DayCapKind[];

const dayLimits = Object.fromEntries(
  Object.entries(dayCapRows).map(([kind, { limit }]) => [kind, v.exactOptional(limit)]),
) as Record<DayCapKind, v.ExactOptionalSchema<typeof amount, undefined>>;

/**
 * Per currency, the largest `single` order and the caps of a day; orders above wait for a person. If any currency is named, every
 * order in another currency waits too.
 */
export const capsSchema = v.pipe(
  v.record(currencyCode, v.strictObject({ single: v.exactOptional(amount), ...dayLimits })),
  v.check(
    (caps) =>
      Object.entries(caps).every(([currency, limits]) => Object.values(limits).every((limit) => fits(limit, currency))),
    decimals,
  ),
);

/** Limits of the money in doubt, per currency. */
export const doubtLimits = v.optional(
  v.pipe(
    v.record(currencyCode, amount),
    v.check((limits) => Object.entries(limits).every(([currency, it]) => fits(it, currency)), decimals),
    v.description('per currency, the money in doubt above which new submissions wait'),
  ),
  {},
);

/** The required fields of a file's rows. */
export const fileChecks = {
  requiredFields: v.optional(
    v.pipe(
      v.record(v.string(), v.array(v.string())),
      v.description(
        'fields that `submit` requires in every row, per operation (`payout`) or operation and endpoint (`payout/39915`), instead of the default; `a|b`: one of the two',
      ),
    ),
    {},
  ),
};
