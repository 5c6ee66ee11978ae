// Largest amounts that a merchant lets through: of one order, and of a day. What is above is held for a person, not lost.
import type { Failure } from './failures.ts';
import type { Money } from '../gateway/money.ts';
import { minorUnitsOf } from '../gateway/money.ts';
import type { Profile } from '../gateway/profile.ts';

/** One merchant's money of one currency on one day (UTC), and how much of it there may be. */
export interface DayCap {
  readonly merchant: string;
  readonly currency: string;
  /** As in "2026-11-21". */
  readonly day: string;
  readonly limitMinorUnits: bigint;
}

/** The failure of an order that is above the cap for one order; undefined when it is not. */
export function aboveSingleCap(money: Money, profile: Profile): Failure | undefined {
  const single = profile.caps[money.currency]?.single;
  if (single === undefined || money.minorUnits <= minorUnitsOf(single, money.currency)) return undefined;
  return { code: 'CAP_EXCEEDED', message: `more than ${single} ${money.currency}, the cap for one order; never sent` };
}

/** The day's cap that an order counts towards; undefined where the merchant has set none. */
export function dayCapOf(merchant: string, money: Money, profile: Profile, nowMs: number): DayCap | undefined {
  const perDay = profile.caps[money.currency]?.perDay;
  if (perDay === undefined) return undefined;
  const { currency } = money;
  const day = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  return { merchant, currency, day, limitMinorUnits: minorUnitsOf(perDay, currency) };
}

/** The failure of an order that would take the day over its cap. */
export function aboveDayCap({ currency, day }: DayCap): Failure {
  return { code: 'CAP_EXCEEDED', message: `above the cap of ${day} in ${currency}; never sent` };
}
