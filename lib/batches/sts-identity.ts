// The holder of this process's AWS credentials: for what two different persons must do, a name on the command line is
// no proof.
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { clientsOf } from '../aws/aws-calls.ts';
import type { Identity } from './batch-ports.ts';

/** A client of STS, with deadlines of ours. */
export const newStsClient = clientsOf(STSClient);

/** The caller's ARN by STS, a call that no policy can forbid. */
export function createStsIdentity(client: STSClient): Identity {
  return {
    async whoAmI() {
      const { Arn } = await client.send(new GetCallerIdentityCommand({}));
      if (Arn === undefined) throw new Error('STS named no caller');
      return Arn;
    },
  };
}
