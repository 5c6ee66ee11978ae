// A person who looks at the order, and decides by what is shown.
import {
  type Operated,
  type OperatePorts,
  type Release,
  releaseOrder,
  shownNow,
} from '../../lib/payout/operate/decide.ts';

/** A decision before the person has looked. */
export type Unlooked = Omit<Release, 'seen'>;

/** The digest of what is shown of the order now. */
export async function lookAt(key: string, { orders, credentials, clock }: OperatePorts): Promise<string> {
  const read = await orders.read(key);
  if (read.kind !== 'found') return 'nothing is shown';
  const secret = await credentials.of(read.order.merchant);
  const profile = secret.kind === 'credentials' ? secret.credentials.profile : undefined;
  return shownNow(read.order, clock.nowMs(), profile);
}

/** Looks, and decides at once. */
export async function lookAndRelease(key: string, release: Unlooked, ports: OperatePorts): Promise<Operated> {
  return releaseOrder(key, { ...release, seen: { shown: await lookAt(key, ports) } }, ports);
}
