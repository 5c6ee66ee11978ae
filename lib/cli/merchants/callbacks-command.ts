// `payouts callbacks list`.
import { say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';

/** `payouts callbacks list`. */
export async function listCallbacks(options: { readonly json: boolean }): Promise<number> {
  const merchants = await toolPorts().callbackDesk.allowed();
  const text = merchants.length === 0 ? 'none: every callback is answered 503' : merchants.join('\n');
  return say(options, { merchants }, text);
}
