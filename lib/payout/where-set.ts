// Records without their absent keys: an item is written, and an order is compared, without them.
type WithUndefined<T> = { readonly [K in keyof T]: T[K] | undefined };

/** Without the properties that are not known. */
export function whereSet<T extends object>(it: WithUndefined<T>): T {
  return Object.fromEntries(Object.entries(it).filter(([, value]) => value !== undefined)) as T;
}
