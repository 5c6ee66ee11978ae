// Records without their absent keys: an item is written, and an order is compared, without them.
type WithUndefined<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Without the properties that are not known. */
export function whereSet<T extends object>(it: WithUndefined<T>): T {
  const set = {} as T;
  // Each write of an order passes here: a list of entries would cost four times as much.
  for (const key of Object.keys(it) as (keyof T)[]) if (it[key] !== undefined) set[key] = it[key];
  return set;
}
