// The answer of `v2/get-balance/merchant/{login}`: a list of balances by name and currency.
import { minorUnitsOfOthers } from './money.ts';

/** The balance available for payouts, in minor units by currency; or why it is not known. */
export type Balance =
  | { readonly kind: 'known'; readonly available: ReadonlyMap<string, bigint> }
  | { readonly kind: 'unknown'; readonly why: string };

/** The path after `/paynet/api`; signed by HMAC-SHA1. */
export const balancePath = (login: string): string => `/v2/get-balance/merchant/${encodeURIComponent(login)}`;

/** Reads the answer. Holds and reserve are subtracted where the gateway states them, and all balances of a currency added up. */
export function readBalance(text: string): Balance {
  const unknown = (why: string): Balance => ({ kind: 'unknown', why });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return unknown('its answer is no list');
  }
  const rows = Array.isArray(value) ? value : [value];
  const available = new Map<string, bigint>();
  for (const row of rows as readonly unknown[]) {
    if (typeof row !== 'object' || row === null) return unknown('its answer is no list of balances');
    const { currency, amount, 'online-balance-live-amount': live } = row as Readonly<Record<string, unknown>>;
    const minorUnits = typeof currency === 'string' ? signedMinorUnits(String(live ?? amount), currency) : undefined;
    if (typeof currency !== 'string' || minorUnits === undefined)
      return unknown('its answer names no amount and currency');
    available.set(currency, (available.get(currency) ?? 0n) + minorUnits);
  }
  return { kind: 'known', available };
}

/** A balance may be zero, or negative. */
function signedMinorUnits(text: string, currency: string): bigint | undefined {
  if (/^-?0+(\.0*)?$/.test(text)) return 0n;
  const units = minorUnitsOfOthers(text.replace(/^-/, ''), currency);
  return units !== undefined && text.startsWith('-') ? -units : units;
}
