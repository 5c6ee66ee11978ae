// `payouts callbacks`: whose callbacks the public function lets in.
// Exit codes: 0 done, 1 not done, 2 bad input.
import { tool } from '../../payout/operate/spelling.ts';
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { SecretFault } from '../../aws/secret-schemas.ts';
import { type CallbackDesk, createSecretsManagerCallbackDesk } from '../../merchants/secrets-manager-callback-desk.ts';
import { say } from '../command-line.ts';
import { toolPorts } from '../tool-ports.ts';
import { UsageError } from '../usage-error.ts';

/** Options of every command. */
interface CallbackOptions {
  readonly json: boolean;
  /** Encrypts the secret of control keys, where there is none yet. */
  readonly kmsKey?: string;
}

/** `payouts callbacks allow`. */
export function allowCallbacks(merchant: string, { kmsKey, json }: CallbackOptions): Promise<number> {
  const texts = {
    allowed: `callbacks of ${merchant} are let in, by its control key as it is now; within minutes everywhere`,
    'no secret': `there is no secret of ${merchant}`,
    'no control key': `the secret of ${merchant} holds no control key, or can't be read: see \`${tool} secrets check ${merchant}\``,
  };
  return atDesk(async (desk) => {
    const outcome = await desk.allow(merchant, kmsKey);
    say({ json }, { merchant, outcome }, texts[outcome]);
    return outcome === 'allowed' ? 0 : 1;
  });
}

/** `payouts callbacks forbid`. */
export function forbidCallbacks(merchant: string, { json }: CallbackOptions): Promise<number> {
  const texts = {
    forbidden: `callbacks of ${merchant} are let in no longer, within minutes everywhere`,
    'not allowed': `callbacks of ${merchant} are not let in`,
  };
  return atDesk(async (desk) => {
    const outcome = await desk.forbid(merchant);
    say({ json }, { merchant, outcome }, texts[outcome]);
    return outcome === 'forbidden' ? 0 : 1;
  });
}

/** `payouts callbacks list`. */
export function listCallbacks({ json }: CallbackOptions): Promise<number> {
  return atDesk(async (desk) => {
    const merchants = await desk.allowed();
    return say(
      { json },
      { merchants },
      merchants.length === 0 ? 'nobody: every callback is answered 403' : merchants.join('\n'),
    );
  });
}

async function atDesk(work: (desk: CallbackDesk) => Promise<number>): Promise<number> {
  const { limits, secretPrefix: prefix, secretAdmin } = toolPorts();
  const client = newSecretsManagerClient({ limits });
  try {
    return await work(createSecretsManagerCallbackDesk({ client, prefix, secretAdmin }));
  } catch (error) {
    if (error instanceof SecretFault) throw new UsageError(`the secret of control keys: ${error.message}`);
    throw error;
  }
}
