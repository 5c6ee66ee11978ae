// Exact sums of decimal strings; money never meets a float.

/** The sum of plain decimal strings, with as many fraction digits as the longest of them: 10.42 + 10.4 = 20.82. */
export function sumOfAmounts(amounts: readonly string[]): string {
  const scale = Math.max(0, ...amounts.map((amount) => fractionOf(amount).length));
  const total = amounts.reduce((sum, amount) => sum + minorUnits(amount, scale), 0n);
  const digits = total.toString().padStart(scale + 1, '0');
  return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

function minorUnits(amount: string, scale: number): bigint {
  return BigInt(`${amount.split('.')[0] ?? ''}${fractionOf(amount).padEnd(scale, '0')}`);
}

function fractionOf(amount: string): string {
  return amount.split('.')[1] ?? '';
}
