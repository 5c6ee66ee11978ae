// The person who decides by hand: whom AWS names to these credentials.
import { newStsClient } from '../aws/sts-client.ts';
import { personOf } from '../batches/approval-proof.ts';
import { createStsIdentity } from '../batches/sts-identity.ts';
import { configured } from './command-line.ts';

/** The person of the caller by STS. Rejects where AWS names nobody: then nothing is decided. */
export async function whoDecides(): Promise<string> {
  const client = configured(newStsClient);
  try {
    return personText(await createStsIdentity(client).whoAmI());
  } finally {
    client.destroy();
  }
}

/** The person that AWS names by this ARN. */
export const personText = (arn: string): string => personOf(arn) ?? arn.replace(/^.*:/, '');
