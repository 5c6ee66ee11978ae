// Who decides by hand: whoever AWS says that these credentials are of, and beside it, as a remark, the name that was given.
import { readWorkerConfig } from '../../aws/env-config.ts';
import { newStsClient } from '../../aws/sts-client.ts';
import { personOf } from '../../batches/approval-proof.ts';
import { createStsIdentity } from '../../batches/sts-identity.ts';

/** The person of the caller by STS, `--by` in brackets behind it. Rejects where AWS names nobody: then nothing is decided. */
export async function whoDecides({ by }: { readonly by?: string }): Promise<string> {
  const client = newStsClient({ limits: readWorkerConfig().limits });
  try {
    return personText(await createStsIdentity(client).whoAmI(), by);
  } finally {
    client.destroy();
  }
}

/** The person that AWS names by this ARN, and in brackets the name that was given. */
export function personText(arn: string, by?: string): string {
  const person = personOf(arn) ?? arn.replace(/^.*:/, '');
  return by?.trim() ? `${person} (${by.trim()})` : person;
}
