// `payouts callbacks list`, and the desk on which callbacks are allowed and forbidden.
import { newSecretsManagerClient } from '../../aws/secrets-manager-credentials.ts';
import { SecretFault } from '../../aws/secret-schemas.ts';
import { type CallbackDesk, createSecretsManagerCallbackDesk } from '../../merchants/secrets-manager-callback-desk.ts';
import { say } from '../command-line.ts';
import { type ToolPorts, toolPorts } from '../tool-ports.ts';

/** The desk; a secret of control keys that can't be read is named. */
export function callbackDeskOf({ limits, secretPrefix: prefix, secretAdmin }: ToolPorts): CallbackDesk {
  const desk = () =>
    createSecretsManagerCallbackDesk({ client: newSecretsManagerClient({ limits }), prefix, secretAdmin });
  return {
    allowed: () => readable(desk().allowed()),
    allow: (merchant, kmsKeyId) => readable(desk().allow(merchant, kmsKeyId)),
    forbid: (merchant) => readable(desk().forbid(merchant)),
  };
}

const readable = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof SecretFault ? new RangeError(`the secret of control keys: ${error.message}`) : error;
  });

/** `payouts callbacks list`. */
export async function listCallbacks(options: { readonly json: boolean }): Promise<number> {
  const merchants = await callbackDeskOf(toolPorts()).allowed();
  return say(
    options,
    { merchants },
    merchants.length === 0 ? 'none: every callback is answered 503' : merchants.join('\n'),
  );
}
