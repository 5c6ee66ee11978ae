// Accounts of people who do not exist: one for each name, with the check digits that an IBAN must have.
import { createHash } from 'node:crypto';

/** A German IBAN; the same for the same name. */
export function ibanOf(name: string): string {
  const digest = createHash('sha256').update(name).digest().readBigUInt64BE();
  const bban = `37040044${String(digest % 10_000_000_000n).padStart(10, '0')}`;
  // ISO 13616: the country as digits (D is 13, E is 14), and 98 less the remainder by 97.
  const check = 98n - (BigInt(`${bban}131400`) % 97n);
  return `DE${String(check).padStart(2, '0')}${bban}`;
}
