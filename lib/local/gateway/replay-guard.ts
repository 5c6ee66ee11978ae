// Refuses old timestamps and nonces that were used before. RFC 5849 section 3.3 leaves window and memory to the server.

/** Why a correctly signed request is refused all the same. */
export type ReplayReason = 'malformed-timestamp' | 'stale-timestamp' | 'repeated-nonce';

/** Judges the timestamp and nonce of a request that was correctly signed, and remembers the nonce. */
export type ReplayGuard = ReturnType<typeof createReplayGuard>;

/** Makes a guard; `windowSeconds` null switches both checks off (published vectors are years old). */
export function createReplayGuard(options: { windowSeconds: number | null; nowMs: () => number }) {
  const { windowSeconds, nowMs } = options;
  const expiresAtMsByNonce = new Map<string, number>();

  function forgetExpired(): void {
    for (const [key, expiresAtMs] of expiresAtMsByNonce) {
      if (expiresAtMs >= nowMs()) return;
      expiresAtMsByNonce.delete(key);
    }
  }

  return {
    check({ login, nonce, timestamp }: { login: string; nonce: string; timestamp: string }): ReplayReason | undefined {
      if (!/^[0-9]{1,12}$/.test(timestamp)) return 'malformed-timestamp';
      if (windowSeconds === null) return undefined;
      const timestampSeconds = Number(timestamp);
      if (Math.abs(Math.floor(nowMs() / 1000) - timestampSeconds) > windowSeconds) return 'stale-timestamp';
      forgetExpired();
      const key = JSON.stringify([login, nonce]);
      if (expiresAtMsByNonce.has(key)) return 'repeated-nonce';
      // After this moment the timestamp itself is refused, so the nonce need not be kept longer.
      expiresAtMsByNonce.set(key, (timestampSeconds + windowSeconds + 1) * 1000);
      return undefined;
    },
  };
}
