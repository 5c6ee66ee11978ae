// Amounts as exact decimal text and whole minor units. No float ever holds money here: 0.1 + 0.2 is not 0.3,
// and a rounded payout is a wrong payout.
import { currencies } from './currencies.ts';

/** An exact amount: whole minor units (cents) of an ISO 4217 currency. */
export interface Money {
  readonly currency: string;
  readonly minorUnits: bigint;
}

/** The number of digits after the decimal point in this currency; two if ISO 4217 gives no other number. */
export function minorDigits(currency: string): number {
  return currencies.get(currency) ?? 2;
}

/** The written form of an amount; `parseAmount` compares its decimals with the currency's. */
export const amountShape = /^(0|[1-9]\d*)(?:\.(\d+))?$/;

/** An amount that was read, in whole minor units (cents), or its fault, in words for the sender. */
type ParsedAmount =
  | { readonly kind: 'amount'; readonly minorUnits: bigint }
  | { readonly kind: 'fault'; readonly fault: string };

/**
 * Reads a positive decimal amount with at most the currency's digits ("10.42" EUR, "1000" JPY).
 * Signs, exponents, thousands separators, leading zeros and a decimal comma are refused rather than guessed at.
 */
export function parseAmount(text: string, currency: string): ParsedAmount {
  const match = amountShape.exec(text);
  if (!match) return { kind: 'fault', fault: 'is not a plain decimal number such as "10.42"' };
  const [, whole = '', fraction = ''] = match;
  const digits = minorDigits(currency);
  if (fraction.length > digits) {
    return { kind: 'fault', fault: `has ${fraction.length} decimals; ${currency} takes at most ${digits}` };
  }
  const minorUnits = BigInt(whole + fraction.padEnd(digits, '0'));
  if (minorUnits === 0n) return { kind: 'fault', fault: 'is zero; a payment moves a positive amount' };
  return { kind: 'amount', minorUnits };
}

/** Longest text that is read as an amount of others. */
const amountLimitChars = 40;

/** An amount that others wrote, in minor units: they may write more digits than the currency has ("10.4200"). Undefined if it is none. */
export function minorUnitsOfOthers(text: string, currency: string): bigint | undefined {
  if (text.length > amountLimitChars) return undefined;
  const parsed = parseAmount(text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''), currency);
  return parsed.kind === 'amount' ? parsed.minorUnits : undefined;
}

/** True if the text, which others wrote, means exactly this amount. */
export function isAmountOf(text: string, money: Money): boolean {
  return minorUnitsOfOthers(text, money.currency) === money.minorUnits;
}

/** Writes whole minor units as a decimal with the currency's digits: 1042n EUR is "10.42", 5n JPY is "5". */
export function formatMinorUnits(minorUnits: bigint, currency: string): string {
  const digits = minorDigits(currency);
  const sign = minorUnits < 0n ? '-' : '';
  const text = (minorUnits < 0n ? -minorUnits : minorUnits).toString().padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}

/** The amount and its currency, as messages and lists have them. */
export const amountFields = ({
  minorUnits,
  currency,
}: Money): { readonly amount: string; readonly currency: string } => ({
  amount: formatMinorUnits(minorUnits, currency),
  currency,
});

/** The same for people: "10.42 EUR". */
export const moneyText = ({ minorUnits, currency }: Money): string =>
  `${formatMinorUnits(minorUnits, currency)} ${currency}`;

/** The minor units of an amount that a schema has judged; 0 for any other text. */
export function minorUnitsOf(amount: string, currency: string): bigint {
  const parsed = parseAmount(amount, currency);
  return parsed.kind === 'amount' ? parsed.minorUnits : 0n;
}
