// `payouts card-keys jwks`: the public keys under which senders seal card data. Exit codes: 0 printed, 1 there are none, 2 bad input.
import { tool } from '../../payout/operate/spelling.ts';
import { notDone } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';

/** `payouts card-keys jwks`. */
export async function printCardKeys(): Promise<number> {
  const keys = await toolPorts().cardRing.publicKeys();
  if (!keys) return notDone({ json: false }, {}, `there are no card keys; \`${tool} card-keys new\` makes one`);
  process.stdout.write(`${JSON.stringify(keys, undefined, 2)}\n`);
  return 0;
}
