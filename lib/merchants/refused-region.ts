// The proof that a lost Region can not pay any more: the gateway refuses the key that it has. The merchant's key was rotated in
// the Region that takes over, so the version before is the one that the lost Region signs with.
import { askSigned, type RotatePorts } from './rotate-key.ts';

/** Whether the gateway refuses the old key, and takes the new one. */
type RegionRefusal =
  | { readonly kind: 'refused'; readonly version: string }
  | { readonly kind: 'unproven'; readonly why: string };

/** Asks the gateway twice, about an order that does not exist. Nothing is changed. */
export async function regionRefusal(
  merchant: string,
  endpointId: string,
  ports: Pick<RotatePorts, 'secretAdmin' | 'gateway' | 'clock' | 'random'>,
): Promise<RegionRefusal> {
  const [now, before] = await Promise.all([
    ports.secretAdmin.read(merchant, 'AWSCURRENT'),
    ports.secretAdmin.read(merchant, 'AWSPREVIOUS'),
  ]);
  if (now?.read.kind !== 'credentials')
    return unproven(`its secret can't be used: ${now?.read.message ?? 'there is none'}`);
  if (before?.read.kind !== 'credentials' || before.version === now.version)
    return unproven('the secret has no version before the present one: rotate the key first, see `keys new`');
  // The new one first: a gateway that refuses everything from here would seem to refuse the old one.
  const taken = await askSigned(now.read.credentials, endpointId, ports);
  if (taken.kind === 'unclear') return unproven(taken.why);
  if (taken.kind === 'refused')
    return unproven('the gateway refuses the new key too, which proves nothing of the old one');
  const old = await askSigned(before.read.credentials, endpointId, ports);
  if (old.kind === 'unclear') return unproven(old.why);
  if (old.kind === 'taken') return unproven('the gateway still takes the old key: the lost Region can pay');
  return { kind: 'refused', version: before.version };
}

const unproven = (why: string) => ({ kind: 'unproven', why }) as const;
