// Values that a process keeps: so many at most, and some for a while, such as pauses, which every job reads.

/** Keeps the value as the newest; the oldest goes if there are more than so many. */
export function keepNewest<Value>(kept: Map<string, Value>, key: string, value: Value, atMost: number): Value {
  kept.delete(key);
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > atMost && oldest !== undefined) kept.delete(oldest);
  return value;
}

/** The reader, and how long a value is used. */
interface TtlCacheOptions<Value> {
  readonly read: (key: string) => Promise<Value>;
  readonly servesMs: number;
  /** Values kept; the one read longest ago is dropped first. */
  readonly keptAtMost: number;
  readonly nowMs: () => number;
}

/** Values by key. */
interface TtlCache<Value> {
  /** Reads at most every `servesMs`, with one read in flight per key. While reads fail, the last value is used. */
  of(key: string): Promise<Value>;
  /** The next call reads anew. */
  forget(key: string): void;
}

/** A cache that has read nothing yet. */
export function createTtlCache<Value>({ read, servesMs, keptAtMost, nowMs }: TtlCacheOptions<Value>): TtlCache<Value> {
  const kept = new Map<string, { readonly value: Value; readonly staleAtMs: number }>();
  const inFlight = new Map<string, Promise<Value>>();

  async function fetch(key: string): Promise<Value> {
    try {
      const value = await read(key);
      keepNewest(kept, key, { value, staleAtMs: nowMs() + servesMs }, keptAtMost);
      return value;
    } catch (error) {
      const last = kept.get(key);
      if (!last) throw error;
      return last.value;
    }
  }

  return {
    of(key) {
      const last = kept.get(key);
      if (last && nowMs() < last.staleAtMs) return Promise.resolve(last.value);
      const running = inFlight.get(key) ?? fetch(key).finally(() => inFlight.delete(key));
      inFlight.set(key, running);
      return running;
    },
    forget: (key) => void kept.delete(key),
  };
}
