// What tells one sending from all others, out of the worker's only clock and only source of chance.
import type { SendingTime } from '../gateway/signed-request.ts';
import type { Clock, Random } from './ports.ts';

/** A fresh nonce and the time of this moment. */
export function sendingTime({ clock, random }: { readonly clock: Clock; readonly random: Random }): SendingTime {
  return { nonce: random.id(), timestampSeconds: Math.floor(clock.nowMs() / 1000) };
}
